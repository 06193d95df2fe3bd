"""From the dataset that a callback returns to batches: as fast as possible, and the same to the last bit."""

import os
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.parallel import prefetched, with_fixed_numbers
from runyard.data.steps import ends_in_prefetch, without_last_prefetch
from runyard.data.vectorize import CannotVectorize, NothingToVectorize, vectorized_batches, vectorized_below_batch


@dataclass(frozen=True)
class Prepared:
    """Batches, and one line for the log on how they are made."""

    dataset: Any
    done: str


def prepare(dataset: Any, *, batch_size: int, already_batched: bool, config: Input) -> Prepared:
    """The batches of a user's dataset: the values and the order of `dataset.batch(batch_size)`.

    Args:
        already_batched: the callback took `batch_size` and made the batches itself.
        config: what may be done to make it faster.
    """
    batches, done = _batches(dataset, batch_size=batch_size, already_batched=already_batched, config=config)
    if config.parallel is not False:
        done.append("maps in parallel" if config.parallel == "auto" else f"maps on up to {config.parallel} threads")
    fixed = with_fixed_numbers(batches, threads=_threads(config)) if config.parallel is not False else None
    batches = batches if fixed is None else fixed
    batches = _ahead_of_time(batches, config=config)
    done += [] if config.prefetch == 0 else ["prefetched"]
    return Prepared(batches.with_options(_options(config, search=fixed is None)), ", ".join(done))


def _batches(dataset: Any, *, batch_size: int, already_batched: bool, config: Input) -> tuple[Any, list[str]]:
    what = "batched by the callback" if already_batched else f"batches of {batch_size}"
    plain = dataset if already_batched else dataset.batch(batch_size)
    if not config.vectorize:
        return plain, [what]
    threads = _threads(config) if config.parallel is not False else None
    try:
        if already_batched:
            return vectorized_below_batch(dataset, threads=threads), [what, "row maps vectorised"]
        return vectorized_batches(dataset, batch_size=batch_size, threads=threads), [what, "row maps vectorised"]
    except NothingToVectorize:
        return plain, [what]
    except CannotVectorize as reason:
        return plain, [f"{what} (not vectorised: {reason})"]


def _ahead_of_time(batches: Any, *, config: Input) -> Any:
    """A number in the job file wins over a prefetch at the end of the user's dataset."""
    if config.prefetch == "auto":
        return batches if ends_in_prefetch(batches) else prefetched(batches)
    batches = without_last_prefetch(batches)
    return batches.prefetch(config.prefetch) if config.prefetch else batches


def _threads(config: Input) -> int:
    """How many threads a map may use: all processors of this process, unless the job says a number."""
    if config.parallel == "auto":
        return len(os.sched_getaffinity(0))
    return config.parallel or 1


def _options(config: Input, *, search: bool) -> Any:
    """Order is kept whatever runs in parallel, and the sharding is ours."""
    options = tf.data.Options()
    options.deterministic = True
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    # TensorFlow makes sequential maps parallel only where they have no state.
    options.experimental_optimization.map_parallelization = config.parallel is not False
    options.experimental_optimization.inject_prefetch = False
    options.autotune.enabled = search
    if isinstance(config.parallel, int) and config.parallel:
        options.autotune.cpu_budget = config.parallel
    return options
