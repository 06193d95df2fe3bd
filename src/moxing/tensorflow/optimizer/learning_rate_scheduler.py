"""Learning rates that change while a training goes on."""

import math
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.failures import WrongSchedule
from moxing.tensorflow.optimizer.segments import Segment, read_segments


def piecewise_lr(lr_strategy: str | float, num_samples: int, global_batch_size: int) -> Any:
    """A learning rate from a schedule such as `5:0.1->0.4,10:0.4=>0.8,15:0.8,20:0.08`.

    From 0 to epoch 5 it grows from 0.1 to 0.4 in a straight line, up to epoch 10 exponentially to 0.8, up to 15 it is
    0.8, up to 20 and from there on it is 0.08. An epoch has `ceil(num_samples / global_batch_size)` global steps.

    Args:
        lr_strategy: the schedule, or one number.
        num_samples: in an epoch.
        global_batch_size: that of one device times devices times workers, as far as these step together.

    Returns:
        A tensor that follows the global step, or a number if it never changes.

    Raises:
        WrongSchedule: a ValueError, if the schedule cannot be read.
    """
    text = str(lr_strategy).strip()
    if ":" not in text:
        text = f"1:{text}"
    segments = read_segments(text)
    if num_samples <= 0 or global_batch_size <= 0:
        raise WrongSchedule(
            f"piecewise_lr: num_samples={num_samples}, global_batch_size={global_batch_size}",
            hint="both must be more than 0",
        )
    if len(segments) == 1 and segments[0].first == segments[0].last:
        return segments[0].first
    epoch_steps = math.ceil(num_samples / global_batch_size)
    return _at_step(segments, epoch_steps=epoch_steps, step=tf.train.get_or_create_global_step())


def linear_cosine_decay(
    max_lr: float, min_lr: float, global_step: Any, max_step: int, warmup: float, decay_end: float
) -> Any:
    """Up from `min_lr` in a straight line, then down to it along a cosine that is itself drawn down to it.

    Args:
        global_step: the step to look at.
        max_step: of the whole training.
        warmup: up to which fraction of `max_step` the rate grows.
        decay_end: from which fraction of `max_step` on the rate stays at `min_lr`.
    """
    way = _way(global_step, max_step=max_step, begin=warmup, end=decay_end)
    left = (1.0 - way) * 0.5 * (1.0 + tf.cos(math.pi * way))
    return _warm(max_lr, min_lr, global_step, max_step=max_step, warmup=warmup, left=left)


def polynomial_decay(
    max_lr: float, min_lr: float, global_step: Any, max_step: int, warmup: float, decay_end: float, power: float = 2.0
) -> Any:
    """Up from `min_lr` in a straight line, then down to it as a power of what is left of the way.

    Args:
        global_step: the step to look at.
        max_step: of the whole training.
        warmup: up to which fraction of `max_step` the rate grows.
        decay_end: from which fraction of `max_step` on the rate stays at `min_lr`.
    """
    left = tf.pow(1.0 - _way(global_step, max_step=max_step, begin=warmup, end=decay_end), power)
    return _warm(max_lr, min_lr, global_step, max_step=max_step, warmup=warmup, left=left)


def _at_step(segments: list[Segment], *, epoch_steps: int, step: Any) -> Any:
    at = tf.cast(step, tf.float32)
    rate = tf.constant(segments[-1].last, tf.float32)
    for index in reversed(range(len(segments))):
        segment = segments[index]
        begin = segments[index - 1].until * epoch_steps if index else 0.0
        end = segment.until * epoch_steps
        way = tf.clip_by_value((at - begin) / (end - begin), 0.0, 1.0)
        if segment.exponential:
            within = segment.first * tf.pow(segment.last / segment.first, way)
        else:
            within = segment.first + (segment.last - segment.first) * way
        rate = tf.where(at < end, within, rate)
    return tf.identity(rate, name="learning_rate")


def _way(step: Any, *, max_step: int, begin: float, end: float) -> Any:
    """How much of the way from one fraction of all steps to another is done, from 0 to 1."""
    if not (0 <= begin < end and max_step > 0):
        raise WrongSchedule(
            f"warmup={begin}, decay_end={end}, max_step={max_step}", hint="0 <= warmup < decay_end, and max_step > 0"
        )
    done = tf.cast(step, tf.float32) / max_step
    return tf.clip_by_value((done - begin) / (end - begin), 0.0, 1.0)


def _warm(max_lr: float, min_lr: float, step: Any, *, max_step: int, warmup: float, left: Any) -> Any:
    done = tf.cast(step, tf.float32) / max_step
    grown = min_lr + (max_lr - min_lr) * done / max(warmup, 1e-12)
    fallen = min_lr + (max_lr - min_lr) * left
    return tf.where(done < warmup, grown, fallen)
