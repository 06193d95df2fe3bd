"""A moving average of the weights: validated and saved, while training goes on with the weights themselves."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from runyard.bridge import KerasVersion
from runyard.training.observers.base import Observer, Run
from tests.training.trainings import (
    BATCH,
    ROWS,
    X,
    Y,
    apart,
    rows,
    same_bits,
    small_model,
    trained,
    training_of,
    weights_of,
)

MOMENTUM = 0.8


class Recorder(Observer):
    """Keeps the weights at the end of each epoch, and after each call."""

    def __init__(self) -> None:
        self.epochs: list[list[Any]] = []
        self.steps: list[list[Any]] = []

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        self.steps.append(weights_of(run.model))

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        self.epochs.append(weights_of(run.model))


def averages(start: list[Any], steps: list[list[Any]]) -> list[Any]:
    found = start
    for weights in steps:
        found = [MOMENTUM * old + (1 - MOMENTUM) * new for old, new in zip(found, weights, strict=True)]
    return found


def test_the_saved_weights_are_the_averages(keras: KerasVersion) -> None:
    recorder, model = Recorder(), small_model(keras)
    start = weights_of(model)
    trained(model, rows(X, Y), ema={"momentum": MOMENTUM}, observers=[recorder], steps_per_call=1)
    assert apart(weights_of(model), averages(start, recorder.steps)) < 1e-6
    assert apart(weights_of(model), recorder.steps[-1]) > 1e-4


def test_training_goes_on_as_without_an_average(keras: KerasVersion) -> None:
    recorder = Recorder()
    trained(small_model(keras), rows(X, Y), validation=rows(X, Y), ema={"momentum": MOMENTUM}, observers=[recorder])
    assert same_bits(recorder.epochs[-1], trained(small_model(keras), rows(X, Y)))


def test_validation_sees_the_averages() -> None:
    """After the run the averages are the weights, so the last validation can be repeated."""
    model = small_model()
    training = training_of(model, rows(X, Y), validation=rows(X, Y), ema={"momentum": MOMENTUM}, metrics=["mae"])
    results = training().results
    assert training.evaluations[""]() == {"loss": results["val_loss"], "mae": results["val_mae"]}
    assert results["val_mae"] == pytest.approx(np.mean(np.abs(np.asarray(model(X))[:, 0] - Y)), abs=1e-5)


def test_with_accumulation_it_moves_once_a_step() -> None:
    large = trained(small_model(), rows(X, Y, batch=ROWS), ema={"momentum": MOMENTUM})
    small = trained(
        small_model(), rows(X, Y, batch=BATCH // 2), ema={"momentum": MOMENTUM}, gradient={"accumulate_steps": 5}
    )
    assert apart(large, small) < 1e-6
