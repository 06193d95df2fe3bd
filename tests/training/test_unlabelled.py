"""Elements that are `x` alone: for losses that need no labels, and models that add their own."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.errors import DataError, ModelError
from runyard.training.losses import build_losses
from tests.training.forms import ONE_OUTPUT, loss_forms
from tests.training.trainings import TARGET, X, apart, rows, small_model, trained, training_of

ZEROS = np.zeros(len(X), np.float32)


@pytest.mark.parametrize("loss", ["bpr", {"type": "pair_hinge", "args": {"margin": 1.0}}])
def test_the_weights_are_those_of_a_training_with_labels_that_nobody_looks_at(keras: KerasVersion, loss: Any) -> None:
    without = trained(small_model(keras), rows(X), losses=loss)
    assert apart(without, trained(small_model(keras), rows(X, ZEROS), losses=loss)) == 0.0
    assert apart(without, [np.asarray(weight) for weight in small_model(keras).get_weights()]) > 0.0


def test_a_compiled_step_needs_no_labels_either() -> None:
    assert training_of(small_model(), rows(X), losses="bpr", jit_compile=True, max_steps=2)().step == 2


def test_a_validation_set_may_be_x_alone_too(keras: KerasVersion) -> None:
    results = training_of(small_model(keras), rows(X), validation=rows(X), losses="bpr", epochs=1)().results
    assert set(results) == {"loss", "val_loss"}


def test_a_function_of_the_script_is_given_no_labels(keras: KerasVersion) -> None:
    seen: list[Any] = []

    def loss(y_true: Any, y_pred: Any) -> Any:
        seen.append(y_true)
        return tf.square(y_pred)

    built = build_losses(loss_forms("mine"), layout=ONE_OUTPUT, keras=keras, factory=lambda spec: loss)
    (value,) = built.unweighted(None, tf.constant([[3.0]]), None)
    assert float(value) == 9.0
    assert seen == [None]


@pytest.mark.parametrize("written", [{"losses": "bce"}, {"losses": "bpr", "metrics": ["auc"]}])
def test_what_needs_labels_says_so_before_the_training(written: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"needs (them|labels)"):
        training_of(small_model(), rows(X), **written)


def test_class_weights_need_labels() -> None:
    with pytest.raises(ModelError, match="class_weight needs labels"):
        training_of(small_model(), rows(X), losses="bpr", class_weight={"0": 1.0, "1": 2.0})()


def test_a_validation_set_without_labels_is_refused_before_the_training() -> None:
    with pytest.raises(DataError, match="has no labels"):
        training_of(small_model(activation="linear"), rows(X, TARGET), validation=rows(X), losses="mse")
