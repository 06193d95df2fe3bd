"""Calls `input_fn` and gives every clone its inputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.input_spec import InputSpec
from moxing.tensorflow.executor.input_stream import Streams, direct_streams, staged_streams
from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.executor.place import Place
from moxing.tensorflow.executor.request import RunRequest
from moxing.tensorflow.utils.callbacks_running import inside_callback


@dataclass(frozen=True)
class Inputs:
    """What `model_fn` is called with.

    Attributes:
        of_clones: the inputs of each clone.
        rows: how many rows each clone has in a step, as a tensor; None if that cannot be told.
        restart: starts the data anew; None where that cannot be done.
        placeholders: makes inputs of the same shapes that are to be fed.
    """

    of_clones: Sequence[Any]
    rows: Sequence[Any] | None
    restart: Any
    placeholders: Callable[[], Any]


def read_inputs(
    request: RunRequest, mode: str, *, place: Place, half: bool = False, restartable: bool = False
) -> Inputs:
    """Calls `input_fn` for a mode.

    Args:
        half: float32 reaches `model_fn` as float16.
        restartable: what ends can be started anew.

    Raises:
        WrongValue: if what it returns cannot be used.
    """
    known = len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS))
    with (
        tf.device(place.input_device),
        # The input of the inter mode may use variables of the other.
        tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE),
        tf.name_scope(f"{mode.lower()}_input/"),
    ):
        with inside_callback("input_fn"):
            returned = request.input_fn(mode)
        structure = _structure(returned)
        flat = _tensors(structure)
        batch_size = request.batch_size if request.batches_itself else None
        if batch_size is not None and len(flat) > len(tf.nest.flatten(_nested(structure))):
            raise WrongValue(
                "mox.run cannot put sparse or ragged samples together to batches",
                hint="make batches in input_fn, and give auto_batch=False",
            )
        if batch_size is None and place.num_clones == 1 and not restartable and _is_ready(flat):
            streams = direct_streams(flat)
        else:
            streams = staged_streams(
                flat,
                batch_size=batch_size,
                num_clones=place.num_clones,
                whole_batches=mode == ModeKeys.TRAIN,
                fill_up=mode != ModeKeys.TRAIN and not restartable,
                restartable=restartable,
                separate=isinstance(returned, InputSpec) and returned.split_to_device,
            )
        of_clones = [_packed(structure, batch) for batch in streams.batches]
        rows = _rows(of_clones)
        restart = _iterator_initializers(since=known) if restartable else []
    return Inputs(
        of_clones=[_packed(structure, _cast(batch, half=half)) for batch in streams.batches] if half else of_clones,
        rows=rows,
        restart=tf.group(restart) if restart else None,
        placeholders=_placeholders(structure, streams, open_batch=batch_size is not None, half=half),
    )


def _iterator_initializers(*, since: int) -> list[Any]:
    """What starts iterators anew, among the initializers that were added since then: the program's, and ours."""
    added = tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)[since:]
    return [operation for operation in added if operation.type == "MakeIterator"]


def _structure(returned: Any) -> Any:
    """A list, a dict or an `InputSpec`: what `model_fn` gets, with this clone's tensors in it."""
    if isinstance(returned, tf2.data.Dataset):
        iterator = tf.data.make_initializable_iterator(returned)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        returned = iterator.get_next()
    if isinstance(returned, InputSpec | dict):
        return returned
    return list(returned) if isinstance(returned, list | tuple) else [returned]


def _tensors(structure: Any) -> list[Any]:
    flat = tf.nest.flatten(_nested(structure), expand_composites=True)
    if not flat or any(one is None for one in flat):
        raise WrongValue(
            "input_fn returned nothing"
            if not flat or len(flat) == 1
            else "one of the inputs that input_fn returned is None",
            hint="it must return a tensor or a list of tensors; is there a `return` for every mode?",
        )
    try:
        return [tf.convert_to_tensor(one) for one in flat]
    except (TypeError, ValueError) as error:
        raise WrongValue(f"input_fn must return tensors: {error}") from None


def _nested(structure: Any) -> Any:
    return structure.groups if isinstance(structure, InputSpec) else structure


def _packed(structure: Any, flat: Sequence[Any]) -> Any:
    packed = tf.nest.pack_sequence_as(_nested(structure), flat, expand_composites=True)
    return structure.with_groups(packed) if isinstance(structure, InputSpec) else packed


def _is_ready(flat: Sequence[Any]) -> bool:
    """Whether the tensors come from a dataset, or from nowhere, with nothing to be done in between."""
    return all(tensor.op.type in ("IteratorGetNext", "Const", "Placeholder") for tensor in flat)


def _cast(batch: Sequence[Any], *, half: bool) -> list[Any]:
    return [tf.cast(one, tf.float16) if half and one.dtype == tf.float32 else one for one in batch]


def _rows(of_clones: Sequence[Any]) -> list[Any] | None:
    found: list[Any] = []
    for inputs in of_clones:
        leaves = tf.nest.flatten(_nested(inputs))
        first = next((leaf for leaf in leaves if isinstance(leaf, tf.SparseTensor) or leaf.shape.rank), None)
        if first is None:
            return None
        shape = first.dense_shape if isinstance(first, tf.SparseTensor) else tf.shape(first, out_type=tf.int64)
        found.append(shape[0])
    return found


def _placeholders(structure: Any, streams: Streams, *, open_batch: bool, half: bool) -> Callable[[], Any]:
    described = [(tensor.dtype, tensor.shape) for tensor in streams.batches[0]]

    def make() -> Any:
        flat: list[Any] = []
        for number, (kind, shape) in enumerate(described):
            sizes = [None, *shape.as_list()[1:]] if open_batch else shape
            flat.append(tf.placeholder(kind, sizes, name=f"input_{number}"))
        return _packed(structure, _cast(flat, half=half))

    return make
