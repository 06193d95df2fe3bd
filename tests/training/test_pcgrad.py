"""PCGrad as the paper has it (arXiv 2001.06782), against a plain implementation with the orders that were drawn."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.training.pcgrad import _orders, project_conflicts
from runyard.training.randomness import Purpose, seed_for
from tests.training.trainings import COLUMNS, ROWS, TARGET, X, Y, apart, rows, trained, weights_of

RATE = 0.1
SHAPES = [(3, 2), (2,), (1, 4)]


def as_in_the_paper(tasks: list[Any], orders: Any) -> Any:
    """Each task's gradient is projected onto the normal plane of every other one that it conflicts with."""
    total = np.zeros_like(tasks[0])
    for task, gradient in enumerate(tasks):
        projected = gradient.copy()
        for other in orders[task]:
            if other == task:
                continue
            product = projected @ tasks[other]
            if product < 0:
                projected -= product / (tasks[other] @ tasks[other]) * tasks[other]
        total += projected
    return total


def orders_of(tasks: int, *, seed: int, step: int) -> Any:
    return _orders(tasks, seed=seed, step=tf.constant(step, tf.int64)).numpy()


def projected(tasks: list[list[Any]], *, seed: int, step: int) -> Any:
    given = [[tf.constant(part) for part in task] for task in tasks]
    found = project_conflicts(given, seed=seed, step=tf.constant(step, tf.int64))
    assert [tuple(part.shape) for part in found] == SHAPES
    return flat(found)


def flat(parts: list[Any]) -> Any:
    return np.concatenate([np.asarray(part).ravel() for part in parts])


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_paper(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    common = [random.normal(size=shape).astype(np.float32) for shape in SHAPES]
    signs = random.choice([-1.0, 1.0], count)
    tasks = [
        [np.float32(sign) * part + random.normal(size=part.shape).astype(np.float32) for part in common]
        for sign in signs
    ]
    vectors = [flat(task) for task in tasks]
    expected = as_in_the_paper(vectors, orders_of(count, seed=seed, step=seed + 1))
    assert projected(tasks, seed=seed, step=seed + 1) == pytest.approx(expected, abs=1e-4)


def test_tasks_that_agree_are_added() -> None:
    tasks = [[np.full(shape, value, np.float32) for shape in SHAPES] for value in (1.0, 2.0, 0.5)]
    assert projected(tasks, seed=1, step=0) == pytest.approx(flat(tasks[0]) * 3.5)


def test_a_task_without_gradient_is_safe() -> None:
    nothing = [np.zeros(shape, np.float32) for shape in SHAPES]
    something = [np.ones(shape, np.float32) for shape in SHAPES]
    assert projected([nothing, something], seed=1, step=0).tolist() == flat(something).tolist()
    assert projected([nothing, nothing], seed=1, step=0).tolist() == flat(nothing).tolist()


def test_orders_are_drawn_anew_each_step_from_seed_and_step_alone() -> None:
    drawn = [orders_of(3, seed=5, step=step).tolist() for step in range(20)]
    assert drawn == [orders_of(3, seed=5, step=step).tolist() for step in range(20)]
    assert len({str(orders) for orders in drawn}) > 5
    assert drawn != [orders_of(3, seed=6, step=step).tolist() for step in range(20)]
    assert all(sorted(order) == [0, 1, 2] for orders in drawn for order in orders)


def two_tasks(keras: KerasVersion, *, regularised: bool) -> Any:
    """Two linear outputs that share a layer. Their gradients conflict."""
    seed_for(3, purpose=Purpose.MODEL)
    package = keras_module(keras)
    layers = package.layers
    inputs = package.Input((COLUMNS,))
    penalty = package.regularizers.L2(0.1) if regularised else None
    shared = layers.Dense(2, use_bias=False, kernel_regularizer=penalty)(inputs)
    outputs = [layers.Dense(1, use_bias=False, name=name)(shared) for name in ("a", "b")]
    return package.Model(inputs, outputs)


def by_hand(weights: list[Any], *, steps: int, penalty: float, shares: tuple[float, float] = (1.0, 1.0)) -> list[Any]:
    shared, *heads = weights
    for step in range(steps):
        hidden = X @ shared
        tasks: list[Any] = []
        for place, (head, target) in enumerate(zip(heads, (TARGET, -TARGET + Y), strict=True)):
            slope = 2 * shares[place] * (hidden @ head - target[:, None]) / ROWS
            own = [np.zeros_like(head), np.zeros_like(head)]
            own[place] = hidden.T @ slope
            tasks.append(flat([X.T @ (slope @ head.T), *own]))
        combined = as_in_the_paper(tasks, orders_of(2, seed=3, step=step))
        sizes = np.cumsum([part.size for part in (shared, *heads)])[:-1]
        parts = [
            part.reshape(like.shape) for part, like in zip(np.split(combined, sizes), (shared, *heads), strict=True)
        ]
        parts[0] = parts[0] + 2 * penalty * shared
        shared, *heads = [value - RATE * part for value, part in zip((shared, *heads), parts, strict=True)]
    return [shared, *heads]


@pytest.mark.parametrize("regularised", [False, True], ids=["plain", "regularised"])
@pytest.mark.parametrize("optimizers", [1, 2])
def test_a_model_is_trained_with_it(keras: KerasVersion, regularised: bool, optimizers: int) -> None:
    """Regularisation is added, and is no task; several optimizers share one projection."""
    model = two_tasks(keras, regularised=regularised)
    expected = by_hand(weights_of(model), steps=3, penalty=0.1 if regularised else 0.0, shares=(1.0, 0.5))
    sgd = {"type": "sgd", "args": {"learning_rate": RATE}, "grad_process": "pcgrad"}
    found = trained(
        model,
        rows(X, (TARGET, -TARGET + Y), batch=ROWS),
        optimizer=[sgd] * optimizers,
        groups=lambda net: [net.trainable_variables[:1], net.trainable_variables[1:]],
        losses=["mse", {"type": "mse", "weight": 0.5}],
    )
    assert apart(found, expected) < 1e-5


def test_rows_of_embeddings_are_gradients_like_others(keras: KerasVersion) -> None:
    """One-hot columns times a matrix are the same model, with dense gradients."""
    package = keras_module(keras)
    ids = np.arange(ROWS) % 6
    found: list[list[Any]] = []
    for sparse in (True, False):
        seed_for(3, purpose=Purpose.MODEL)
        layers = package.layers
        inputs = package.Input((), dtype="int32") if sparse else package.Input((6,))
        first = layers.Embedding(6, 2) if sparse else layers.Dense(2, use_bias=False, kernel_initializer="uniform")
        hidden = first(inputs)
        model = package.Model(inputs, [layers.Dense(1, use_bias=False, name=name)(hidden) for name in ("a", "b")])
        if found:
            model.set_weights(found[0])
        found.append(weights_of(model))
        x = ids.astype(np.int32) if sparse else np.eye(6, dtype=np.float32)[ids]
        optimizer = {"type": "sgd", "args": {"learning_rate": 0.5}, "grad_process": "pcgrad"}
        found.append(trained(model, rows(x, (TARGET, -TARGET)), optimizer=optimizer, losses="mse"))
    assert apart(found[1], found[3]) < 1e-6
    assert apart(found[0], found[1]) > 1e-3
