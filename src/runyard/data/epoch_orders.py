"""The order of one epoch as a dataset of its own.

A shuffle draws the seeds of its next order whenever somebody makes an iterator of it, and so does TensorFlow when it
restores a state. How many times, depends with several shuffles on how far threads had read ahead. A dataset whose
shuffles have the seeds of one epoch, and keep them, has one order however often it is begun.
"""

from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops import zip_op

from runyard.data.rebuilding import built_again, is_rebuildable
from runyard.data.steps import is_reshuffle, opened, shuffled_once

_PHILOX = 1
_NUMBERS_AT_A_TIME = 4
_SEEDS_OF_AN_ORDER = 2


def has_orders(dataset: Any) -> bool:
    """Whether everything above its shuffles can be built again."""
    step = opened(dataset)
    if not _reshuffles(step):
        return True
    return (_is_zip(step) or is_reshuffle(step) or is_rebuildable(step)) and all(map(has_orders, step._inputs()))


def order_of_epoch(dataset: Any, epoch: int) -> Any:
    """The elements in the order in which the iterator with this number, counted from 0, would give them.

    Args:
        dataset: one that `has_orders`, whose shuffles are begun once in an epoch.
    """
    step = opened(dataset)
    if not _reshuffles(step):
        return dataset
    if _is_zip(step):
        return tf.data.Dataset.zip(tf.nest.map_structure(lambda below: order_of_epoch(below, epoch), step._datasets))
    below = order_of_epoch(step._input_dataset, epoch)
    if is_reshuffle(step):
        return shuffled_once(below, like=step, seeds=_drawn(step, epoch))
    return built_again(step, on=below)


def _reshuffles(step: Any) -> bool:
    return is_reshuffle(step) or any(_reshuffles(opened(below)) for below in step._inputs())


def _is_zip(step: Any) -> bool:
    return type(step) is zip_op._ZipDataset


def _drawn(shuffle: Any, epoch: int) -> tuple[Any, Any]:
    """The seeds that a shuffle draws for its iterator with this number, as TensorFlow's generator would."""
    first = _SEEDS_OF_AN_ORDER * epoch
    numbers = tf.raw_ops.StatelessRandomUniformFullIntV2(
        shape=[_NUMBERS_AT_A_TIME],
        key=[tf.cast(shuffle._seed, tf.uint64)],
        counter=[tf.constant(first // _NUMBERS_AT_A_TIME, tf.uint64), tf.cast(shuffle._seed2, tf.uint64)],
        alg=_PHILOX,
        dtype=tf.uint32,
    )
    place = first % _NUMBERS_AT_A_TIME
    return tf.cast(numbers[place], tf.int64), tf.cast(numbers[place + 1], tf.int64)
