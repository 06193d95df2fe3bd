"""Moves a map behind the batch: `rows.map(f).batch(n)` becomes `rows.batch(n).map(f on all rows at once)`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python.data.util import structure
from tensorflow.python.framework.none_tensor import NoneTensorSpec

from runyard.data.steps import is_batch, is_map, is_movable, is_prefetch, is_shard, rebuilt
from runyard.data.vectorizable_ops import why_not_vectorizable


class CannotVectorize(Exception):
    """Says why the maps stay where they are."""


class NothingToVectorize(CannotVectorize):
    """There is no map on single rows right before the batch."""


@dataclass(frozen=True)
class _Rows:
    """Rows before any of the maps, the steps that pick and order them, and the functions of the maps."""

    source: Any
    steps: list[Any]
    functions: list[Any]


def vectorized_batches(
    rows: Any, *, batch_size: Any, drop_remainder: Any = False, threads: int | None, picked: Sequence[Any] = ()
) -> Any:
    """What `rows.batch(batch_size)` gives, to the bit, with the last maps of `rows` run on whole batches.

    Args:
        picked: steps that pick batches and come after these, first to last: only what they pick is mapped.
        threads: how many batches are made at a time; -1 for what suits, None for one after the other.

    Raises:
        CannotVectorize: if that may change a value, or if TensorFlow has no such form of the maps.
    """
    taken = _take_apart(rows)
    expected = rows.batch(batch_size, drop_remainder=drop_remainder)
    batches = rebuilt(taken.source, steps=taken.steps).batch(batch_size, drop_remainder=drop_remainder)
    batches = rebuilt(batches, steps=list(picked))
    function = _on_batches(taken.functions, given=batches.element_spec, wanted=expected.element_spec)
    parallel = {} if threads is None else {"num_parallel_calls": threads, "deterministic": True}
    try:
        vectorized = batches.map(function, **parallel)
    except Exception as error:  # whatever TensorFlow raises here, the maps still work as they are
        raise CannotVectorize(f"TensorFlow cannot vectorise the map ({type(error).__name__})") from error
    if vectorized.element_spec != expected.element_spec:
        raise CannotVectorize("the vectorised map has other shapes")
    return vectorized


def vectorized_below_batch(batches: Any, *, threads: int | None) -> Any:
    """The same for a dataset that is batched already, after maps on single rows.

    Raises:
        CannotVectorize: as above, or if there is no such batch.
    """
    above: list[Any] = []
    while is_movable(batches):
        above.insert(0, batches)
        batches = batches._input_dataset
    if not is_batch(batches):
        raise NothingToVectorize("the batch is not the last step")
    # A worker need not look at the batches of others.
    divided = max((place for place, step in enumerate(above, start=1) if is_shard(step)), default=0)
    vectorized = vectorized_batches(
        batches._input_dataset,
        batch_size=batches._batch_size,
        drop_remainder=batches._drop_remainder,
        threads=threads,
        picked=above[:divided],
    )
    return rebuilt(vectorized, steps=above[divided:])


def _take_apart(rows: Any) -> _Rows:
    if not tf.executing_eagerly():
        raise CannotVectorize("the dataset belongs to a graph")
    found: _Rows | None = None
    steps: list[Any] = []
    functions: list[Any] = []
    reason = None
    while is_movable(rows) or is_map(rows):
        if is_map(rows):
            reason = _why_not(rows)
            if reason:
                break
            functions.insert(0, rows._map_func.function)
            found = _Rows(rows._input_dataset, list(steps), list(functions))
        elif not is_prefetch(rows):  # rows are cheap until they are mapped: only batches are worth making ahead
            steps.insert(0, rows)
        rows = rows._input_dataset
    if found is None:
        raise CannotVectorize(reason) if reason else NothingToVectorize("no map comes right before the batch")
    return found


def _why_not(mapped: Any) -> str | None:
    reason = why_not_vectorizable(mapped._map_func.function)
    if reason:
        return f"the map {reason}"
    if not _is_dense(mapped.element_spec) or not _is_dense(mapped._input_dataset.element_spec):
        return "rows before or after the map have no fixed shape"
    return None


def _is_dense(spec: Any) -> bool:
    return all(
        isinstance(part, NoneTensorSpec) or (type(part) is tf.TensorSpec and part.shape.is_fully_defined())
        for part in tf.nest.flatten(spec)
    )


def _on_batches(functions: list[Any], *, given: Any, wanted: Any) -> Any:
    def one_row(tensors: Any) -> Any:
        for function in functions:
            tensors = _inlined(function, tensors)
        return tensors

    @tf.autograph.experimental.do_not_convert
    def all_rows(*parts: Any) -> Any:
        element = parts if type(given) is tuple else parts[0]
        tensors = structure.to_tensor_list(given, element)
        return structure.from_tensor_list(
            wanted, list(tf.vectorized_map(one_row, tensors, fallback_to_while_loop=False))
        )

    return all_rows


def _inlined(function: Any, tensors: Any) -> Any:
    """The operations of a traced function in the current graph. The user's Python does not run again."""
    names = [tensor.name for tensor in function.graph.inputs]
    return tf.graph_util.import_graph_def(
        function.graph.as_graph_def(),
        input_map=dict(zip(names, [*tensors, *function.captured_inputs], strict=True)),
        return_elements=[output.name for output in function.graph.outputs],
        name="row",
    )
