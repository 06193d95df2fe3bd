"""The steps of a dataset that can be taken off it and put on another one, for the same rows in the same order."""

from collections.abc import Callable
from typing import Any

from tensorflow.python.data.ops import (
    dataset_ops,
    map_op,
    prefetch_op,
    repeat_op,
    shard_op,
    shuffle_op,
    skip_op,
    take_op,
)
from tensorflow.python.ops import gen_dataset_ops


class _ShuffleAgain(dataset_ops.UnaryUnchangedStructureDataset):
    """A shuffle with the seeds of another one. `Dataset.shuffle` would draw new ones."""

    def __init__(self, source: Any, like: Any) -> None:
        self._input_dataset = source
        self._name = like._name
        self._buffer_size = like._buffer_size
        self._seed, self._seed2 = like._seed, like._seed2
        self._reshuffle_each_iteration = like._reshuffle_each_iteration
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


_REBUILD: dict[type, Callable[[Any, Any], Any]] = {
    dataset_ops._OptionsDataset: lambda source, step: source.with_options(step.options()),
    prefetch_op._PrefetchDataset: lambda source, step: source.prefetch(int(step._buffer_size)),
    repeat_op._RepeatDataset: lambda source, step: source.repeat(step._count),
    shard_op._ShardDataset: lambda source, step: source.shard(step._num_shards, step._index),
    shuffle_op._ShuffleDataset: _ShuffleAgain,
    skip_op._SkipDataset: lambda source, step: source.skip(step._count),
    take_op._TakeDataset: lambda source, step: source.take(step._count),
}


def is_movable(dataset: Any) -> bool:
    """Whether this last step only picks and orders elements, so that a map may run before or after it."""
    return type(dataset) in _REBUILD


def rebuilt(source: Any, *, steps: list[Any]) -> Any:
    """The steps, first to last, on another source."""
    for step in steps:
        source = _REBUILD[type(step)](source, step)
    return source


def is_map(dataset: Any) -> bool:
    return type(dataset) in (map_op._MapDataset, map_op._ParallelMapDataset)


def is_prefetch(dataset: Any) -> bool:
    return type(dataset) is prefetch_op._PrefetchDataset


def ends_in_prefetch(dataset: Any) -> bool:
    while type(dataset) is dataset_ops._OptionsDataset:
        dataset = dataset._input_dataset
    return is_prefetch(dataset)
