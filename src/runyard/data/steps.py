"""The steps of a dataset that can be taken off it and put on another one, for the same rows in the same order."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops import (
    batch_op,
    dataset_ops,
    map_op,
    prefetch_op,
    readers,
    repeat_op,
    shard_op,
    shuffle_op,
    skip_op,
    take_op,
)
from tensorflow.python.ops import gen_dataset_ops

_READERS = (readers.TextLineDatasetV2, readers.TFRecordDatasetV2, readers.FixedLengthRecordDatasetV2)


class _ShuffleAgain(dataset_ops.UnaryUnchangedStructureDataset):
    """A shuffle with the seeds of another one. `Dataset.shuffle` would draw new ones.

    Args:
        seeds: instead of those of the other one; then every iterator has the same order.
    """

    def __init__(self, source: Any, like: Any, *, seeds: tuple[Any, Any] | None = None) -> None:
        self._input_dataset = source
        self._name = like._name
        self._buffer_size = like._buffer_size
        self._seed, self._seed2 = seeds or (like._seed, like._seed2)
        self._reshuffle_each_iteration = like._reshuffle_each_iteration and seeds is None
        variant = gen_dataset_ops.shuffle_dataset_v3(
            source._variant_tensor,
            buffer_size=self._buffer_size,
            seed=self._seed,
            seed2=self._seed2,
            seed_generator=gen_dataset_ops.dummy_seed_generator(),
            reshuffle_each_iteration=self._reshuffle_each_iteration,
            **self._common_args,
        )
        super().__init__(source, variant)


class _ParallelMapDataset(dataset_ops.UnaryDataset):
    """The map of another dataset on a fixed number of threads, order kept. The user's Python is not traced again."""

    def __init__(self, source: Any, like: Any, *, threads: int) -> None:
        self._input_dataset = source
        self._name = like._name
        self._map_func = like._map_func
        self._num_parallel_calls = tf.constant(threads, tf.int64)
        self._preserve_cardinality = like._preserve_cardinality
        function = self._map_func.function
        variant = gen_dataset_ops.parallel_map_dataset_v2(
            source._variant_tensor,
            function.captured_inputs,
            f=function,
            num_parallel_calls=self._num_parallel_calls,
            deterministic="true",
            use_inter_op_parallelism=True,
            preserve_cardinality=self._preserve_cardinality,
            **self._common_args,
        )
        super().__init__(source, variant)

    def _functions(self) -> list[Any]:
        return [self._map_func]

    @property
    def element_spec(self) -> Any:
        return self._map_func.output_structure


_REBUILD: dict[type, Callable[[Any, Any], Any]] = {
    dataset_ops._OptionsDataset: lambda source, step: source.with_options(step.options()),
    prefetch_op._PrefetchDataset: lambda source, step: source.prefetch(int(step._buffer_size)),
    repeat_op._RepeatDataset: lambda source, step: source.repeat(step._count),
    shard_op._ShardDataset: lambda source, step: source.shard(step._num_shards, step._index),
    shuffle_op._ShuffleDataset: _ShuffleAgain,
    skip_op._SkipDataset: lambda source, step: source.skip(step._count),
    take_op._TakeDataset: lambda source, step: source.take(step._count),
    _ShuffleAgain: _ShuffleAgain,
}


def is_movable(dataset: Any) -> bool:
    """Whether this last step only picks and orders elements, so that a map may run before or after it."""
    return type(dataset) in _REBUILD


def rebuilt(source: Any, *, steps: list[Any]) -> Any:
    """The steps, first to last, on another source."""
    for step in steps:
        source = _REBUILD[type(step)](source, step)
    return source


def opened(dataset: Any) -> Any:
    """A dataset of lines or records as the steps that it is made of; every other one as it is."""
    return dataset._impl if isinstance(dataset, _READERS) else dataset


def is_reshuffle(dataset: Any) -> bool:
    """Whether this last step gives another order whenever it is read."""
    return type(dataset) in (shuffle_op._ShuffleDataset, _ShuffleAgain) and bool(dataset._reshuffle_each_iteration)


def shuffled_once(source: Any, *, like: Any, seeds: tuple[Any, Any]) -> Any:
    """The shuffle of another dataset on this source, with an order of its own, the same whenever it is read."""
    return _ShuffleAgain(source, like, seeds=seeds)


def is_map(dataset: Any) -> bool:
    return type(dataset) in (map_op._MapDataset, map_op._ParallelMapDataset, _ParallelMapDataset)


def is_pure_map(dataset: Any) -> bool:
    """Whether it is a map whose calls know nothing of each other: no random numbers, Python or side effects."""
    return is_map(dataset) and not any(
        operation._is_stateful for operation in dataset._map_func.function.graph.get_operations()
    )


def is_silent(dataset: Any) -> bool:
    """Whether this last step gives the elements as they come."""
    return type(dataset) is dataset_ops._OptionsDataset or is_prefetch(dataset)


def is_batch(dataset: Any) -> bool:
    return type(dataset) in (batch_op._BatchDataset, batch_op._ParallelBatchDataset)


def ends_in_batches(dataset: Any) -> bool:
    """Whether the last thing that happens to its rows is that they become batches."""
    while is_silent(dataset):
        dataset = dataset._input_dataset
    return is_batch(dataset)


def batched_again(source: Any, *, like: Any) -> Any:
    """The batches of another dataset on this source."""
    return source.batch(like._batch_size, drop_remainder=like._drop_remainder)


def map_in_parallel(source: Any, *, like: Any, threads: int) -> Any:
    """The map of another dataset on this source, on so many threads."""
    return _ParallelMapDataset(source, like, threads=threads)


def is_shard(dataset: Any) -> bool:
    return type(dataset) is shard_op._ShardDataset


def is_prefetch(dataset: Any) -> bool:
    return type(dataset) is prefetch_op._PrefetchDataset


def ends_in_prefetch(dataset: Any) -> bool:
    while type(dataset) is dataset_ops._OptionsDataset:
        dataset = dataset._input_dataset
    return is_prefetch(dataset)


def without_last_prefetch(dataset: Any) -> Any:
    """The dataset without the prefetch that it ends in, if it does. Options above it are kept."""
    options: list[Any] = []
    below = dataset
    while type(below) is dataset_ops._OptionsDataset or is_prefetch(below):
        options += [below] if not is_prefetch(below) else []
        below = below._input_dataset
    return rebuilt(below, steps=options[::-1])
