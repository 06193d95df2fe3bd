"""Learning rates that change."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from moxing.tensorflow.optimizer import learning_rate_scheduler as scheduler

SPECIFIED = "5:0.1->0.4,10:0.4=>0.8,15:0.8,20:0.08"


def rates(make: Callable[[Any], Any], steps: list[int]) -> list[float]:
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        rate = make(step)
        found = []
        for value in steps:
            step.load(value, session)
            found.append(float(session.run(rate)))
        return found


def piecewise(strategy: str, steps: list[int], *, samples: int = 100, batch: int = 10) -> list[float]:
    return rates(lambda _: scheduler.piecewise_lr(strategy, num_samples=samples, global_batch_size=batch), steps)


def test_the_schedule_of_the_documents() -> None:
    found = piecewise(SPECIFIED, [0, 25, 49, 50, 75, 100, 149, 150, 199, 200, 10_000])
    expected = [0.1, 0.25, 0.394, 0.4, 0.4 * 2**0.5, 0.8, 0.8, 0.08, 0.08, 0.08, 0.08]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_short_epoch_counts_its_last_step_and_epochs_may_be_fractions() -> None:
    np.testing.assert_allclose(piecewise("1:0.1,2:0.2", [10, 11], samples=101), [0.1, 0.2])
    np.testing.assert_allclose(piecewise("0.5:0.1,1:0.2", [4, 5]), [0.1, 0.2])


def test_the_end_of_a_slope_stays() -> None:
    np.testing.assert_allclose(piecewise("1:1->0", [0, 5, 10, 99]), [1.0, 0.5, 0.0, 0.0])


@pytest.mark.parametrize(("strategy", "rate"), [("10:0.02", 0.02), ("0.002", 0.002), (0.5, 0.5), (" 1e-3 ", 0.001)])
def test_a_rate_that_never_changes_is_a_number(strategy: Any, rate: float) -> None:
    found = scheduler.piecewise_lr(strategy, num_samples=10, global_batch_size=1)
    assert type(found) is float
    assert found == rate


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("5:0.1,10", "'10' has no ':'"),
        ("5:0.1;10:x", "'0.1;10:x' is no number"),
        ("5:a->0.1", "'a' is no number"),
        ("5:0.1->", "'' is no number"),
        ("5:0.1,5:0.2", "epoch 5 is not later"),
        ("0:0.1", "epoch 0 is not later"),
        ("5:0=>1", "=> needs rates above 0"),
        ("5:nan", "'nan' is no number"),
        ("", "'' is no number"),
    ],
)
def test_a_schedule_that_cannot_be_read_names_the_part(strategy: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        scheduler.piecewise_lr(strategy, num_samples=10, global_batch_size=1)
    assert "hint: write 'e1:l1,e2:l2,...'" in str(caught.value)


def test_sizes_must_be_positive() -> None:
    with pytest.raises(ValueError, match="num_samples=0, global_batch_size=1"):
        scheduler.piecewise_lr("5:0.1", num_samples=0, global_batch_size=1)


@pytest.mark.parametrize(("decay", "half"), [("linear_cosine_decay", 0.25), ("polynomial_decay", 0.25)])
def test_up_then_down_then_level(decay: str, half: float) -> None:
    found = rates(lambda step: getattr(scheduler, decay)(1.1, 0.1, step, 100, 0.2, 0.8), [0, 10, 20, 50, 80, 100])
    np.testing.assert_allclose(found, [0.1, 0.6, 1.1, 0.1 + half, 0.1, 0.1], rtol=1e-5, atol=1e-6)
    down = rates(lambda step: getattr(scheduler, decay)(1.1, 0.1, step, 100, 0.0, 1.0), list(range(101)))
    assert down == sorted(down, reverse=True)
    with pytest.raises(ValueError, match="0 <= warmup < decay_end"):
        getattr(scheduler, decay)(1.0, 0.1, 0, 100, 0.9, 0.5)
