"""From what `input_fn` returns to one batch per clone and step.

The operations behind the returned tensors become the body of a `tf.data` pipeline, which batches and reads ahead
without Python threads: what has state (iterators, queues, Python functions) runs in order, the rest beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.subgraph import Subgraph, ancestors

_RANDOM = ("Random", "Truncated", "Multinomial", "ParameterizedTruncated", "Stateless")
_READ_AHEAD = 2


@dataclass(frozen=True)
class Streams:
    """The flat tensors of each clone's batch."""

    batches: Sequence[Sequence[Any]]


def direct_streams(tensors: Sequence[Any]) -> Streams:
    """One clone takes the tensors as they are."""
    return Streams([tensors])


def staged_streams(
    tensors: Sequence[Any],
    *,
    batch_size: int | None,
    num_clones: int,
    whole_batches: bool,
    fill_up: bool = False,
    restartable: bool = False,
    separate: bool = False,
) -> Streams:
    """Batches for every clone.

    Args:
        batch_size: put so many samples together; None: the tensors are batches.
        whole_batches: drop a last batch that is smaller.
        fill_up: at the end, clones without data get empty batches, so that no row is lost for those that have some.
        restartable: datasets begin anew when the iterators are initialized again.
        separate: each clone reads ahead for itself.
    """
    dataset = _as_dataset(tensors, apart=frozenset({"OneShotIterator"}) if restartable else frozenset())
    if batch_size is not None:
        dataset = _batched(dataset, tensors, batch_size=batch_size, whole=whole_batches)
    if num_clones > 1 and fill_up:
        dataset = dataset.concatenate(_empty(dataset).repeat(num_clones - 1))
    dataset = dataset.prefetch(_READ_AHEAD * num_clones)
    readers = num_clones if separate else 1
    iterators = [tf.data.make_initializable_iterator(dataset) for _ in range(readers)]
    for iterator in iterators:
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    batches: list[Sequence[Any]] = []
    for clone in range(num_clones):
        # One after the other, so that rows keep their order over the clones.
        with tf.control_dependencies([batches[-1][0].op] if batches else []):
            batches.append(iterators[clone % readers].get_next())
    return Streams(batches)


def _as_dataset(tensors: Sequence[Any], *, apart: frozenset[str]) -> Any:
    sources = _in_order(tensors)
    if not sources:
        return _mapped(tf.data.Dataset.range(2**62), Subgraph(tensors, apart=apart))
    dataset = _mapped(tf.data.Dataset.range(2**62), Subgraph(sources, apart=apart))
    if [tensor.name for tensor in sources] == [tensor.name for tensor in tensors]:
        return dataset
    rest = Subgraph(tensors, given=sources, apart=apart)
    return _mapped(dataset, rest, given=sources, parallel=True)


def _in_order(tensors: Sequence[Any]) -> list[Any]:
    """The tensors between what must run in order and what need not."""
    graph = tensors[0].graph
    names = ancestors(tensors)
    stateful = [graph.get_operation_by_name(name) for name in names]
    stateful = [operation for operation in stateful if _keeps_order(operation)]
    ordered = set(ancestors(stateful)) if stateful else set[str]()
    between: dict[str, Any] = {}
    for tensor in tensors:
        if tensor.op.name in ordered:
            between[tensor.name] = tensor
    for name in names:
        if name not in ordered:
            for tensor in graph.get_operation_by_name(name).inputs:
                if tensor.op.name in ordered and tensor.dtype != tf.resource:
                    between[tensor.name] = tensor
    return list(between.values())


def _keeps_order(operation: Any) -> bool:
    if not operation.op_def.is_stateful:
        return False
    if not operation.type.startswith(_RANDOM):
        return True
    # Random numbers with a seed are a sequence; without one nobody can tell.
    return any(operation.get_attr(name) for name in ("seed", "seed2") if name in operation.node_def.attr)


def _mapped(dataset: Any, body: Subgraph, *, given: Sequence[Any] = (), parallel: bool = False) -> Any:
    if "Placeholder" in body.types:
        raise WrongValue(
            "what input_fn returns depends on a placeholder, which cannot be fed: batches are read ahead",
            hint="make the placeholder in model_fn and feed it with mox.FeedSessionRunHook, or use tf.data in input_fn",
        )

    def function(*elements: Any) -> tuple[Any, ...]:
        handed = dict(zip((tensor.name for tensor in given), elements, strict=True)) if given else None
        return tuple(body.copied(handed, name="input"))

    return dataset.map(function, num_parallel_calls=tf.data.AUTOTUNE if parallel else None)


def _batched(dataset: Any, tensors: Sequence[Any], *, batch_size: int, whole: bool) -> Any:
    shapes = tuple(tensor.shape for tensor in tensors)
    for tensor, shape in zip(tensors, shapes, strict=True):
        if shape.rank is None:
            raise WrongValue(
                f"mox.run cannot batch {tensor.name}, which input_fn returns: the number of its dimensions is unknown",
                hint="call set_shape on it in input_fn; dimensions that differ from sample to sample are None there",
            )
    if all(shape.is_fully_defined() for shape in shapes):
        return dataset.batch(batch_size, drop_remainder=whole)
    return dataset.padded_batch(batch_size, padded_shapes=shapes, drop_remainder=whole)


def _empty(dataset: Any) -> Any:
    specs = tf.nest.flatten(tf.data.get_output_shapes(dataset))
    types = tf.nest.flatten(tf.data.get_output_types(dataset))
    rows = [
        tf.zeros([0, *(size or 0 for size in shape.as_list()[1:])], kind) if shape.rank else tf.zeros([], kind)
        for shape, kind in zip(specs, types, strict=True)
    ]
    return tf.data.Dataset.from_tensors(tuple(rows))
