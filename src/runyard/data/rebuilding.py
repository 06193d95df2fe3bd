"""Steps that look at one row after the other, built again on another source without tracing the user's Python again."""

import copy
from collections.abc import Callable
from typing import Any

from tensorflow.python.data.ops import (
    batch_op,
    cache_op,
    dataset_ops,
    filter_op,
    flat_map_op,
    interleave_op,
    map_op,
    padded_batch_op,
    prefetch_op,
    readers,
    repeat_op,
    shuffle_op,
    unbatch_op,
)
from tensorflow.python.ops import gen_dataset_ops, gen_experimental_dataset_ops

from runyard.data.steps import batched_again, is_map, is_movable, map_in_parallel, rebuilt


def is_row_by_row(dataset: Any) -> bool:
    """Whether its last step does the same to the rows of a part as to the rows of the whole.

    Steps that count rows (`take`, `skip`, `shard`), and those with several inputs, do not.
    """
    cached_in: Any = getattr(dataset, "_filename", None)
    if cached_in is not None and cached_in.numpy():
        return False  # workers on one machine would share the file
    return type(dataset) in _AGAIN


def is_rebuildable(dataset: Any) -> bool:
    """Whether its last step can be built again, whatever it does."""
    return type(dataset) in _AGAIN or is_movable(dataset) or is_map(dataset)


def built_again(step: Any, *, on: Any) -> Any:
    """The last step of a dataset, on another source."""
    again = _AGAIN.get(type(step))
    if again is not None:
        return again(step, on)
    if is_movable(step):
        return rebuilt(on, steps=[step])
    return map_in_parallel(on, like=step, threads=int(step._num_parallel_calls))


def _variant_of(make: Callable[..., Any], *arguments: str, function: str = "_map_func", **options: str) -> Any:
    """A step with a function: the same object but for its source.

    Args:
        arguments: attributes that the operation takes by position, after source and function.
        options: attributes by the name that the operation knows them by.
    """

    def again(step: Any, source: Any) -> Any:
        traced = getattr(step, function).function
        made = copy.copy(step)
        made._input_dataset = source
        made._variant_tensor_attr = make(
            source._variant_tensor,
            traced.captured_inputs,
            *(getattr(step, name) for name in arguments),
            **{function.removeprefix("_") if function == "_predicate" else "f": traced},
            **{name: getattr(step, attribute) for name, attribute in options.items()},
            **step._common_args,
        )
        return made

    return again


def _padded(step: Any, source: Any) -> Any:
    return source.padded_batch(
        step._batch_size, step._padded_shapes, padding_values=step._padding_values, drop_remainder=step._drop_remainder
    )


def _interleaved_in_parallel(*arguments: Any, **options: Any) -> Any:
    # Whether the order is kept is not known any more; by default, and in a training, it is.
    return gen_dataset_ops.parallel_interleave_dataset_v4(*arguments, **options, deterministic="default")


def _as_known(step: Any, source: Any) -> Any:
    return rebuilt(source, steps=[step])


def _batched(step: Any, source: Any) -> Any:
    return batched_again(source, like=step)


_AGAIN: dict[type, Callable[[Any, Any], Any]] = {
    batch_op._BatchDataset: _batched,
    batch_op._ParallelBatchDataset: _batched,
    cache_op.CacheDataset: lambda step, source: source.cache(),
    dataset_ops._OptionsDataset: _as_known,
    dataset_ops._RestructuredDataset: lambda step, source: dataset_ops._RestructuredDataset(source, step.element_spec),
    filter_op._FilterDataset: _variant_of(gen_dataset_ops.filter_dataset, function="_predicate"),
    flat_map_op._FlatMapDataset: _variant_of(gen_dataset_ops.flat_map_dataset),
    interleave_op._InterleaveDataset: _variant_of(gen_dataset_ops.interleave_dataset, "_cycle_length", "_block_length"),
    interleave_op._ParallelInterleaveDataset: _variant_of(
        _interleaved_in_parallel,
        "_cycle_length",
        "_block_length",
        "_buffer_output_elements",
        "_prefetch_input_elements",
        "_num_parallel_calls",
    ),
    map_op._MapDataset: _variant_of(
        gen_dataset_ops.map_dataset,
        use_inter_op_parallelism="_use_inter_op_parallelism",
        preserve_cardinality="_preserve_cardinality",
        force_synchronous="_force_synchronous",
    ),
    map_op._ParallelMapDataset: _variant_of(
        gen_dataset_ops.parallel_map_dataset_v2,
        num_parallel_calls="_num_parallel_calls",
        deterministic="_deterministic",
        use_inter_op_parallelism="_use_inter_op_parallelism",
        preserve_cardinality="_preserve_cardinality",
        use_unbounded_threadpool="_use_unbounded_threadpool",
    ),
    padded_batch_op._PaddedBatchDataset: _padded,
    prefetch_op._PrefetchDataset: _as_known,
    readers.ParallelInterleaveDataset: _variant_of(
        gen_experimental_dataset_ops.legacy_parallel_interleave_dataset_v2,
        "_cycle_length",
        "_block_length",
        "_buffer_output_elements",
        "_prefetch_input_elements",
        deterministic="_deterministic",
    ),
    repeat_op._RepeatDataset: _as_known,
    shuffle_op._ShuffleDataset: _as_known,
    unbatch_op._UnbatchDataset: lambda step, source: source.unbatch(),
}
