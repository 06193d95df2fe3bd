"""Early stopping in a training."""

from collections.abc import Mapping
from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.config.plugins import EarlyStopping
from runyard.training.observers.base import Observer, Run
from runyard.training.observers.early_stopping import EarlyStoppingObserver
from tests.training.observers.scripted_run import ScriptedRun
from tests.training.trainings import X, Y, rows, same_bits, small_model, training_of, weights_of

WILD = {"type": "sgd", "args": {"learning_rate": 60.0}}


class WeightsByEpoch(Observer):
    def __init__(self) -> None:
        self.weights: list[list[Any]] = []
        self.losses: list[float] = []

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        self.weights.append(weights_of(run.model))
        self.losses.append(results["val_loss"])


@pytest.mark.parametrize("restore", [True, False])
def test_the_best_weights_are_put_back(keras: KerasVersion, restore: bool) -> None:
    recorder = WeightsByEpoch()
    training = training_of(
        small_model(keras),
        rows(X[:10], Y[:10]),
        validation=rows(X[10:], Y[10:]),
        observers=[recorder],
        optimizer=WILD,
        epochs=30,
        early_stopping={"patience": 2, "restore_best_weights": restore},
    )
    outcome = training()
    best = recorder.losses.index(min(recorder.losses))
    assert outcome.stopped_early and outcome.epochs == len(recorder.losses) == best + 3
    assert "val_loss has not become better for 2 epochs" in outcome.reason
    assert same_bits(weights_of(training.model), recorder.weights[best if restore else -1])
    assert outcome.results["val_loss"] == recorder.losses[best if restore else -1]


class StoppedRun(ScriptedRun):
    used: Mapping[str, Any] | None = None

    def use_results(self, results: Mapping[str, Any]) -> None:
        self.used = results


def watched(**config: Any) -> tuple[Any, EarlyStoppingObserver]:
    weight = tf.Variable(0.0)
    observer = EarlyStoppingObserver(
        EarlyStopping.model_validate({"monitor": "auc", **config}), weights=[weight], validated=[weight]
    )
    return weight, observer


def test_epochs_before_the_start_do_not_count() -> None:
    weight, observer = watched(start_from_epoch=5)
    run = StoppedRun()
    for epoch in range(3):
        weight.assign(float(epoch))
        run.end_epoch(observer, auc=1.0 - epoch)
    observer.on_train_end(run)
    assert float(weight) == 2.0


def test_without_a_best_epoch_the_last_weights_stay() -> None:
    weight, observer = watched(patience=1)
    run = StoppedRun()
    for epoch in range(3):
        weight.assign(float(epoch))
        run.end_epoch(observer, auc=float("nan"))
    observer.on_train_end(run)
    assert float(weight) == 2.0
    assert run.stop_reason is not None and "best: none" in run.stop_reason


def test_a_best_value_of_zero_is_told() -> None:
    _, observer = watched(patience=1)
    run = StoppedRun()
    for value in (0.0, -1.0):
        run.end_epoch(observer, auc=value)
    assert run.stop_reason == "auc has not become better for 1 epochs (best: 0 in epoch 1)"


def test_its_state_survives_a_checkpoint() -> None:
    weight, first = watched(patience=1)
    run = StoppedRun()
    weight.assign(7.0)
    run.end_epoch(first, auc=0.9)
    other, second = watched(patience=1)
    second.restore(first.tensors(), first.values())
    other.assign(8.0)
    run.end_epoch(second, auc=0.5)
    assert run.stop_reason is not None
    second.on_train_end(run)
    assert float(other) == 7.0
    assert run.used == {"auc": 0.9}


def test_validations_have_names_by_their_sets() -> None:
    data = rows(X, Y)
    names = {
        key: training_of(small_model(), data, validation={key: data}, metrics=["auc"]).fit._validation.names
        for key in ("", "0", "key")
    }
    assert names == {
        "": ["val_loss", "val_auc"],
        "0": ["val_loss(0)", "val_auc(0)"],
        "key": ["val_loss(key)", "val_auc(key)"],
    }


def test_results_have_the_promised_names() -> None:
    training = training_of(small_model(), rows(X, Y), validation={"0": rows(X, Y)}, metrics=["auc"], epochs=1)
    promised = [*training.engine.results_names(), *training.fit._validation.names]
    assert list(training().results) == promised
