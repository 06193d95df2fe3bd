"""Learning rates as functions of the step."""

from typing import Any

from runyard.bridge import KerasVersion, keras_module
from runyard.config.learning_rate import (
    Constant,
    Cosine,
    Exponential,
    Piecewise,
    Polynomial,
    Schedule,
)


def build_schedule(schedule: Schedule, *, keras: KerasVersion) -> Any:
    """A Keras schedule with its warm-up in front."""
    schedules = keras_module(keras).optimizers.schedules
    arguments = schedule.args.model_dump(exclude={"warmup_steps"})
    match schedule:
        case Constant():
            rate: Any = schedule.args.learning_rate
        case Exponential():
            rate = schedules.ExponentialDecay(**arguments)
        case Cosine():
            rate = schedules.CosineDecay(**arguments)
        case Piecewise(args=args) if not args.boundaries:
            rate = args.values[0]
        case Piecewise():
            rate = schedules.PiecewiseConstantDecay(**arguments)
        case Polynomial():
            rate = schedules.PolynomialDecay(**arguments)
    return _with_warm_up(rate, steps=schedule.args.warmup_steps, base=schedules.LearningRateSchedule)


def _with_warm_up(after: Any, *, steps: int, base: type[Any]) -> Any:
    if not steps:
        return after
    import tensorflow as tf

    class WarmUp(base):
        """Rises in a straight line to where the schedule after it starts."""

        def __call__(self, step: Any) -> Any:
            done = tf.cast(step, tf.float32) / float(steps)
            rest = tf.cast(step, tf.float32) - float(steps)
            peak = after(tf.constant(0.0)) if callable(after) else tf.constant(after, tf.float32)
            later: Any = after(tf.maximum(rest, 0.0)) if callable(after) else peak
            return tf.where(done < 1.0, peak * done, later)

        def get_config(self) -> dict[str, Any]:
            return {"warmup_steps": steps}

    return WarmUp()
