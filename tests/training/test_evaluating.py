"""A pass over a dataset without training."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.data.elements import Element
from runyard.data.inputs import InputChoice
from runyard.errors import DataError
from runyard.training.evaluating import EmptyDataset, Evaluation
from runyard.training.evaluation_plan import EvaluationPlan, build_evaluation
from tests.config.jobs import train_args

X = np.random.default_rng(0).normal(size=(50, 3)).astype("float32")
Y = (X[:, :1] > 0).astype("float32")


def dataset(rows: slice = slice(None), *, batch: int = 8) -> Any:
    return tf.data.Dataset.from_tensor_slices((X[rows], Y[rows])).batch(batch)


def evaluation_of(model: Any, **options: Any) -> Evaluation:
    args = train_args(losses="mse", metrics=["mae"])
    plan = EvaluationPlan(args.losses, args.metrics, None, loss_factory=lambda _: None, metric_factory=lambda _: None)
    made, remarks = build_evaluation(model, dataset=dataset(), inputs=InputChoice(), plan=plan, **options)
    assert remarks == []
    return made


def model_of(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    regularizer = package.regularizers.L2(0.1)
    return package.Sequential([package.Input((3,)), package.layers.Dense(1, kernel_regularizer=regularizer)])


def test_datasets_of_one_structure_share_a_trace(keras: KerasVersion) -> None:
    model = model_of(keras)
    evaluation = evaluation_of(model)
    for rows in (slice(None), slice(0, 20), slice(20, 50)):
        found = evaluation(dataset(rows))
        assert found["mae"] == pytest.approx(np.abs(model(X[rows]).numpy() - Y[rows]).mean(), rel=1e-5)
        assert evaluation.rows == len(X[rows])
    assert evaluation.traces == 1


def test_the_loss_of_a_model_has_its_regularisation_and_that_of_a_function_has_none(keras: KerasVersion) -> None:
    model = model_of(keras)
    function = evaluation_of(lambda x: model(x))()
    penalty = 0.1 * np.square(model.get_weights()[0]).sum()
    whole = evaluation_of(model)()
    assert whole["loss"] == pytest.approx(function["loss"] + penalty, rel=1e-4)
    assert whole["mae"] == pytest.approx(function["mae"], rel=1e-6)


def test_an_empty_dataset_is_named() -> None:
    evaluation = evaluation_of(lambda x: x[:, :1])
    with pytest.raises(EmptyDataset, match="the test set is empty"):
        evaluation(dataset(slice(0, 0)), what="test set")


def test_a_watch_sees_every_batch() -> None:
    seen: list[Any] = []

    def watch(layout: Any, element: Element, outputs: Any) -> None:
        tf.numpy_function(lambda rows: seen.append(len(rows)), [outputs], [])

    evaluation_of(lambda x: x[:, :1], watch=watch)(dataset(batch=20))
    assert seen == [20, 20, 10]


def test_a_pass_over_a_part_of_endless_python_leaves_nothing_waiting() -> None:
    def rows() -> Any:
        while True:
            yield X[0], Y[0]

    spec = (tf.TensorSpec((3,)), tf.TensorSpec((1,)))
    endless = tf.data.Dataset.from_generator(rows, output_signature=spec).batch(4).prefetch(2)
    evaluation = evaluation_of(lambda x: x[:, :1])
    for _ in range(3):
        evaluation(endless, batches=3)
        assert evaluation.rows == 12


def test_a_metric_that_cannot_be_computed_says_so_after_the_first_batches() -> None:
    args = train_args(losses="mse", metrics=["log_loss"])
    plan = EvaluationPlan(None, args.metrics, None, loss_factory=lambda _: None, metric_factory=lambda _: None)
    evaluation, _ = build_evaluation(lambda x: x[:, :1] + 9, dataset=dataset(), inputs=InputChoice(), plan=plan)
    with pytest.raises(DataError, match="metric 'log_loss': log loss needs probabilities"):
        evaluation(dataset(batch=1).repeat(100))
    assert evaluation.rows < 100 * len(X)
