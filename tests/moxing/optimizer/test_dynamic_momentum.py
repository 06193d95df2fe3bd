"""A momentum that moves against the learning rate."""

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from moxing.tensorflow.optimizer.dynamic_momentum import DyMomentumOptimizer
from moxing.tensorflow.optimizer.dynamic_momentumw import DyMomentumWOptimizer
from tests.moxing.optimizer.steps import weights_after

RATES = {"max_lr": 1.1, "min_lr": 0.1, "max_mom": 0.9, "min_mom": 0.5}
START, GRADIENT = np.array([[3.0, 4.0]]), np.array([[6.0, 8.0]])


def momentum(rate: float, step: int = 0, **more: Any) -> float:
    with tf.Graph().as_default(), tf.Session() as session:
        optimizer = DyMomentumOptimizer(tf.constant(rate), global_step=tf.constant(step), **(RATES | more))
        return float(session.run(optimizer.get_momentum()))


@pytest.mark.parametrize(("rate", "expected"), [(0.1, 0.9), (1.1, 0.5), (0.6, 0.7), (0.0, 0.9), (2.0, 0.5)])
def test_it_is_largest_where_the_rate_is_smallest(rate: float, expected: float) -> None:
    assert momentum(rate) == pytest.approx(expected)


def test_it_stays_large_while_the_training_cools_down() -> None:
    assert momentum(1.1, 89, max_iteration=100, cooldown=0.1) == pytest.approx(0.5)
    assert momentum(1.1, 90, max_iteration=100, cooldown=0.1) == pytest.approx(0.9)


@pytest.mark.parametrize("nesterov", [True, False])
def test_steps_are_those_of_momentum(nesterov: bool) -> None:
    gradients = [GRADIENT, -GRADIENT, GRADIENT]
    ours = weights_after(lambda: DyMomentumOptimizer(0.6, use_nesterov=nesterov, **RATES), START, gradients)
    theirs = weights_after(lambda: tf.train.MomentumOptimizer(0.6, 0.7, use_nesterov=nesterov), START, gradients)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_weight_decay_within_the_gradient_and_beside_it() -> None:
    within = weights_after(lambda: DyMomentumOptimizer(0.6, weight_decay=0.1, **RATES), START, [GRADIENT] * 2)
    first = GRADIENT + 0.1 * START
    second = 0.7 * first + GRADIENT + 0.1 * within[0]
    np.testing.assert_allclose(within, [START - 0.6 * first, within[0] - 0.6 * second], rtol=1e-5)
    beside = weights_after(lambda: DyMomentumWOptimizer(0.6, weight_decay=0.1, **RATES), START, [GRADIENT] * 2)
    one = START * (1 - 0.06) - 0.6 * GRADIENT
    two = one * (1 - 0.06) - 0.6 * (0.7 * GRADIENT + GRADIENT)
    np.testing.assert_allclose(beside, [one, two], rtol=1e-5)


def test_lars_scales_the_gradient() -> None:
    ours = weights_after(lambda: DyMomentumOptimizer(0.6, use_lars=True, weight_decay=0.1, **RATES), START, [GRADIENT])
    scale = 0.001 * 5 / (10 + 0.1 * 5)
    np.testing.assert_allclose(ours[0], START - 0.6 * scale * (GRADIENT + 0.1 * START), rtol=1e-6)


def test_biases_are_not_decayed() -> None:
    for kind in (DyMomentumOptimizer, DyMomentumWOptimizer):
        ours = weights_after(lambda kind=kind: kind(0.6, weight_decay=0.1, **RATES), [1.0], [[1.0]])
        np.testing.assert_allclose(ours[0], [0.4], rtol=1e-6)


def test_what_does_not_fit_together() -> None:
    with pytest.raises(TypeError, match=r"min_lr=1\.1, max_lr=0\.1"):
        DyMomentumOptimizer(0.6, max_lr=0.1, min_lr=1.1)
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"cooldown=0\.1 needs global_step and max_iteration"):
        DyMomentumOptimizer(0.6, cooldown=0.1, **RATES)
