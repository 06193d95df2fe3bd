from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.config.known_names import Kind, find
from runyard.errors import ModelError
from runyard.training.metrics import build_metric, place_metrics
from tests.training.forms import ONE_OUTPUT, metric_forms, named_for, no_factory

label, output = tf.constant([[1.0], [0.0]]), tf.constant([[0.75], [0.5]])


def metric_for(written: Any, *, keras: KerasVersion, factory: Any = no_factory) -> Any:
    (placed,) = place_metrics(metric_forms(written), None, layout=ONE_OUTPUT)
    return build_metric(placed, label=label, output=output, keras=keras, factory=factory)


def test_a_metric_that_only_the_other_keras_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Keras 2 has no PearsonCorrelation.*\n.*only Keras 3"):
        metric_for("pearson_correlation", keras=2)
    with pytest.raises(ModelError, match=r"Keras 3 has no MeanRelativeError.*\n.*only Keras 2"):
        metric_for({"type": "MeanRelativeError", "args": {"normalizer": [1.0]}}, keras=3)


@pytest.mark.parametrize(
    "written",
    [
        {"type": "auc", "args": {"curve": "rubbish"}},
        {"type": "f1", "args": {"thresholds": [0.5, 7.0]}},
        {"type": "accuracy", "args": {"dtype": "rubbish"}},
    ],
)
def test_refused_arguments_are_an_error_of_the_model(keras: KerasVersion, written: Any) -> None:
    with pytest.raises(ModelError, match="refuses its arguments"):
        metric_for(written, keras=keras)


def test_auc_takes_a_single_threshold(keras: KerasVersion) -> None:
    metric = metric_for({"type": "auc", "args": {"thresholds": 0.6}}, keras=keras)
    metric.update_state(label, output)
    assert float(metric.result()) == 1.0


@pytest.mark.parametrize("made_by", [2, 3])
def test_a_factory_may_return_a_metric_of_either_keras(keras: KerasVersion, made_by: KerasVersion) -> None:
    made = keras_module(made_by).metrics.MeanSquaredError()
    assert metric_for("mine", keras=keras, factory=lambda _: made) is made


def test_a_factory_may_return_a_function(keras: KerasVersion) -> None:
    metric = metric_for("mine", keras=keras, factory=lambda _: lambda y_true, y_pred: y_true - y_pred)
    metric.update_state(label, output)
    assert float(metric.result()) == pytest.approx(-0.125)
    assert metric.name == "mine"


@pytest.mark.parametrize("rubbish", [None, 3, "auc"])
def test_a_factory_that_returns_no_metric_is_refused(keras: KerasVersion, rubbish: object) -> None:
    with pytest.raises(ModelError, match=r"the metric factory mine returned .*, expected a Keras metric or a function"):
        metric_for("mine", keras=keras, factory=lambda _: rubbish)


def test_a_factory_that_returns_a_class_is_refused(keras: KerasVersion) -> None:
    with pytest.raises(ModelError, match="returned the class AUC"):
        metric_for("mine", keras=keras, factory=lambda _: keras_module(keras).metrics.AUC)


@pytest.mark.parametrize(("name", "keras"), named_for(Kind.METRIC))
def test_every_metric_has_the_name_of_the_job_file(name: str, keras: KerasVersion) -> None:
    known = find(Kind.METRIC, name)
    assert known is not None
    examples = {"normalizer": [1.0], "target_class_ids": [0], "num_classes": 2, "user_id_index": 0, "k": 1}
    args = {p.name: examples.get(p.name, 0.5) for p in known.parameters.values() if p.required}
    assert metric_for({"type": name, "args": args}, keras=keras).name == name.lower()
