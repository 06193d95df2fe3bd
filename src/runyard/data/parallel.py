"""Fixed numbers of threads and buffers instead of TensorFlow's search for good ones.

The search runs in a thread of its own that sleeps longer and longer (10, 20, 40 ... ms), and an iterator that comes to
its end waits for it: an epoch of 0.38 s takes 0.63 s every other time. With fixed numbers there is nothing to search.
"""

from typing import Any

import tensorflow as tf

from runyard.data.steps import (
    batched_again,
    is_batch,
    is_map,
    is_movable,
    is_prefetch,
    is_pure_map,
    map_in_parallel,
    rebuilt,
)

_PREFETCHED = 4


def with_fixed_numbers(dataset: Any, *, threads: int) -> Any | None:
    """The same elements in the same order, with maps on `threads` threads; None if a step cannot do without the search.

    The last steps are rebuilt, down to the first that is no map, batch, shuffle, prefetch or the like.
    """
    steps: list[Any] = []
    below = dataset
    while is_movable(below) or is_map(below) or is_batch(below):
        steps.append(below)
        below = below._input_dataset
    if any(_needs_search(node) for node in _nodes(below)):
        return None
    if any(is_map(step) and not is_pure_map(step) for step in steps):
        return None
    for step in reversed(steps):
        below = _on(below, step, threads=threads)
    return below


def _on(source: Any, step: Any, *, threads: int) -> Any:
    if is_map(step):
        return map_in_parallel(source, like=step, threads=threads)
    if is_batch(step):
        return batched_again(source, like=step)
    if is_prefetch(step) and int(step._buffer_size) == tf.data.AUTOTUNE:
        return source.prefetch(_PREFETCHED)
    return rebuilt(source, steps=[step])


def prefetched(dataset: Any) -> Any:
    """A few batches made ahead of time."""
    return dataset.prefetch(_PREFETCHED)


def _needs_search(node: Any) -> bool:
    """Steps with a number that TensorFlow chooses, and maps that it makes parallel."""
    name = type(node).__name__
    return is_map(node) or is_prefetch(node) or "Parallel" in name or "Interleave" in name


def _nodes(dataset: Any) -> list[Any]:
    return [dataset, *(node for below in dataset._inputs() for node in _nodes(below))]
