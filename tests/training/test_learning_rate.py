import math
from typing import Any

import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from runyard.bridge import KerasVersion
from runyard.config.learning_rate import Schedule
from runyard.training.learning_rate import build_schedule

STEPS = [0, 1, 5, 10, 11, 20, 25, 1000]


def exponential(step: float) -> float:
    return 0.5 * 0.1 ** (step / 10)


def stairs(step: float) -> float:
    return 0.5 * 0.1 ** (step // 10)


def cosine(step: float) -> float:
    return 0.5 * (0.9 * 0.5 * (1 + math.cos(math.pi * min(step, 20) / 20)) + 0.1)


def piecewise(step: float) -> float:
    return 0.5 if step <= 5 else 0.25 if step <= 11 else 0.125


def polynomial(step: float) -> float:
    return 0.4 * (1 - min(step, 20) / 20) ** 2 + 0.1


def cycling(step: float) -> float:
    over = 20 * max(1, math.ceil(step / 20))
    return 0.4 * (1 - step / over) + 0.1


WRITTEN: list[tuple[str, dict[str, Any], Any]] = [
    ("constant", {"learning_rate": 0.5}, lambda step: 0.5),
    ("exponential", {"initial_learning_rate": 0.5, "decay_steps": 10, "decay_rate": 0.1}, exponential),
    ("exponential", {"initial_learning_rate": 0.5, "decay_steps": 10, "decay_rate": 0.1, "staircase": True}, stairs),
    ("cosine", {"initial_learning_rate": 0.5, "decay_steps": 20, "alpha": 0.1}, cosine),
    ("piecewise", {"boundaries": [5, 11], "values": [0.5, 0.25, 0.125]}, piecewise),
    ("piecewise", {"boundaries": [], "values": [0.5]}, lambda step: 0.5),
    (
        "polynomial",
        {"initial_learning_rate": 0.5, "decay_steps": 20, "end_learning_rate": 0.1, "power": 2},
        polynomial,
    ),
    (
        "polynomial",
        {"initial_learning_rate": 0.5, "decay_steps": 20, "end_learning_rate": 0.1, "cycle": True},
        cycling,
    ),
]


def built(kind: str, args: dict[str, Any], *, keras: KerasVersion) -> Any:
    schedule = TypeAdapter(Schedule).validate_python({"type": kind, "args": args})
    return build_schedule(schedule, keras=keras)


def rates(schedule: Any) -> list[float]:
    """At several steps, once with numbers and once with tensors in a `tf.function`."""
    if not callable(schedule):
        return [schedule] * len(STEPS)
    traced = tf.function(lambda step: schedule(step), autograph=False)
    in_graph = [float(traced(tf.constant(step, tf.int64))) for step in STEPS]
    assert [float(schedule(step)) for step in STEPS] == pytest.approx(in_graph, rel=1e-6)
    return in_graph


@pytest.mark.parametrize(("kind", "args", "expected"), WRITTEN)
def test_rates_follow_the_schedule(keras: KerasVersion, kind: str, args: dict[str, Any], expected: Any) -> None:
    assert rates(built(kind, args, keras=keras)) == pytest.approx([expected(step) for step in STEPS], rel=1e-5)


@pytest.mark.parametrize(("kind", "args", "expected"), WRITTEN)
def test_a_warm_up_comes_before_the_schedule(
    keras: KerasVersion, kind: str, args: dict[str, Any], expected: Any
) -> None:
    schedule = built(kind, {**args, "warmup_steps": 10}, keras=keras)
    shifted = [0.5 * step / 10 if step < 10 else expected(step - 10) for step in STEPS]
    assert rates(schedule) == pytest.approx(shifted, rel=1e-5)
