from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.config.known_names import Kind, find
from runyard.data.elements import Element
from runyard.errors import DataError, ModelError
from runyard.training.metric_board import MetricBoard, build_board
from runyard.training.outputs import OutputLayout
from tests.training.forms import BY_KEY, ONE_OUTPUT, TWO_OUTPUTS, metric_forms, named_for, no_factory
from tests.training.reference import keras_says

ROWS = 8
RANDOM = np.random.default_rng(3)

scores = tf.constant(RANDOM.uniform(0.05, 0.95, (ROWS, 1)), tf.float32)
binary = tf.constant([[0], [1], [1], [0], [1], [0], [0], [1]], tf.float32)
softmax = tf.nn.softmax(tf.constant(RANDOM.normal(size=(ROWS, 3)), tf.float32))
classes = tf.constant(RANDOM.integers(0, 3, (ROWS, 1)))
one_hot = tf.one_hot(classes[:, 0], 3)
row_weights = tf.constant(RANDOM.uniform(0.1, 2.0, ROWS), tf.float32)

ARGUMENTS: dict[str, dict[str, Any]] = {
    "IoU": {"num_classes": 3, "target_class_ids": [0, 2]},
    "MeanIoU": {"num_classes": 3},
    "MeanRelativeError": {"normalizer": [[1.0]]},
    "OneHotIoU": {"num_classes": 3, "target_class_ids": [0, 2]},
    "OneHotMeanIoU": {"num_classes": 3},
    "PrecisionAtRecall": {"recall": 0.5},
    "RecallAtPrecision": {"precision": 0.5},
    "SensitivityAtSpecificity": {"specificity": 0.5},
    "SpecificityAtSensitivity": {"sensitivity": 0.5},
}
ONE_HOT = {
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "ConcordanceCorrelation",
    "CosineSimilarity",
    "FBetaScore",
    "OneHotIoU",
    "OneHotMeanIoU",
    "PearsonCorrelation",
    "TopKCategoricalAccuracy",
}
CLASS_NUMBERS = {"SparseCategoricalAccuracy", "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy"}


def board_for(
    plain: Any = None,
    weighted: Any = None,
    *,
    labels: Any,
    outputs: Any,
    layout: OutputLayout = ONE_OUTPUT,
    keras: KerasVersion = 2,
    factory: Any = no_factory,
) -> MetricBoard:
    return build_board(
        plain and metric_forms(plain),
        weighted and metric_forms(weighted),
        layout=layout,
        labels=labels,
        outputs=outputs,
        keras=keras,
        factory=factory,
    )


def updated(board: MetricBoard, element: Element, outputs: Any) -> dict[str, Any]:
    """The results after a batch in a `tf.function`."""

    @tf.function(autograph=False)
    def step() -> None:
        board.update(element, outputs)

    step()
    return board.results()


def suitable(class_name: str) -> tuple[Any, Any]:
    """Outputs and labels that the metric is made for."""
    if class_name in ("IoU", "MeanIoU"):
        return tf.constant([[0], [1], [2], [0], [1], [2], [0], [0]]), classes
    if class_name in CLASS_NUMBERS:
        return softmax, classes
    return (softmax, one_hot) if class_name in ONE_HOT else (scores, binary)


KERAS_METRICS = [
    (name, keras)
    for name, keras in named_for(Kind.METRIC)
    if not find(Kind.METRIC, name).own and name != "accuracy"  # type: ignore[union-attr]
]


@pytest.mark.filterwarnings("ignore:You are passing weight as `float`")
@pytest.mark.parametrize(("name", "keras"), KERAS_METRICS)
def test_a_metric_is_what_keras_computes(name: str, keras: KerasVersion) -> None:
    class_name = find(Kind.METRIC, name).class_name  # type: ignore[union-attr]
    arguments = ARGUMENTS.get(class_name, {})
    output, label = suitable(class_name)
    weights_fit = (class_name, keras) != ("FBetaScore", 2)  # Keras 2 refuses them as well

    def reference(name: str) -> Any:
        return getattr(keras_module(keras).metrics, class_name)(**arguments, name=name)

    weights = row_weights if weights_fit else None
    said = keras_says(
        output,
        label,
        weights,
        keras=keras,
        metrics=[reference("plain")],
        weighted_metrics=[reference("weighted")],
    )
    expected = {name: pytest.approx(_number(said[name]), rel=1e-6) for name in ("plain", "weighted")}
    # (B,) means the same as (B, 1), also where Keras 3 itself compares each row with every other.
    for labels in [label, tf.squeeze(label, -1)] if label.shape[-1] == 1 else [label]:
        board = board_for(
            {"type": name, "args": {**arguments, "name": "plain"}},
            {"type": name, "args": {**arguments, "name": "weighted"}},
            labels=labels,
            outputs=output,
            keras=keras,
        )
        assert updated(board, Element(None, labels, weights), output) == expected


def _number(value: Any) -> Any:
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array.tolist()


@pytest.mark.parametrize("label_type", [tf.int64, tf.float64, tf.bool])
def test_the_type_of_labels_does_not_matter(keras: KerasVersion, label_type: Any) -> None:
    names = ["auc", "bce", "bacc", "f1", "mse", "precision"]
    expected = updated(board_for(names, labels=binary, outputs=scores, keras=keras), Element(None, binary), scores)
    labels = tf.cast(binary, label_type)
    board = board_for(names, labels=labels, outputs=scores, keras=keras)
    assert updated(board, Element(None, labels), scores) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("weights", [row_weights, row_weights[:, None]], ids=["(B,)", "(B, 1)"])
def test_only_weighted_metrics_use_weights(keras: KerasVersion, weights: Any) -> None:
    board = board_for("mse", {"type": "mse", "args": {"name": "w"}}, labels=binary, outputs=scores, keras=keras)
    results = updated(board, Element(None, binary[:, 0], weights), scores)
    squares = np.square(binary - scores)[:, 0]
    assert results["mse"] == pytest.approx(squares.mean(), rel=1e-6)
    assert results["w"] == pytest.approx(np.average(squares, weights=row_weights), rel=1e-6)


def test_reset_starts_over(keras: KerasVersion) -> None:
    board = board_for(["mse", "f1", "auc"], labels=binary, outputs=scores, keras=keras)
    first = updated(board, Element(None, binary), scores)
    updated(board, Element(None, 1 - binary), scores)
    board.reset()
    assert updated(board, Element(None, binary), scores) == first


def test_batches_add_up(keras: KerasVersion) -> None:
    board = board_for(["mse", "f1"], labels=binary, outputs=scores, keras=keras)
    whole = updated(board, Element(None, binary), scores)
    board.reset()
    for part in (slice(0, 3), slice(3, ROWS)):
        board.update(Element(None, binary[part]), scores[part])
    assert board.results() == pytest.approx(whole, rel=1e-6)


def test_metrics_with_several_values_give_lists(keras: KerasVersion) -> None:
    metric = {"type": "f1", "args": {"thresholds": [0.25, 0.75]}}
    board = board_for(metric, labels=binary, outputs=scores, keras=keras)
    value = updated(board, Element(None, binary), scores)["f1"]
    assert isinstance(value, list) and len(value) == 2


def test_one_output_gives_bare_names() -> None:
    assert board_for(["AUC", "mse"], labels=binary, outputs=scores).names == ["auc", "mse"]
    assert board_for([["auc"]], labels=binary, outputs=scores).names == ["auc"]


def test_several_outputs_give_names_with_the_output() -> None:
    board = board_for(["auc", "mse"], labels=(binary, binary), outputs=(scores, scores), layout=TWO_OUTPUTS)
    assert board.names == ["click_auc", "click_mse", "buy_auc", "buy_mse"]


def test_nested_lists_go_output_by_output() -> None:
    board = board_for([["auc"], ["mse", "mae"]], labels=(binary, binary), outputs=(scores, scores), layout=TWO_OUTPUTS)
    assert board.names == ["click_auc", "buy_mse", "buy_mae"]


def test_nested_lists_may_leave_outputs_out() -> None:
    board = board_for([["auc"]], labels=(binary, binary), outputs=(scores, scores), layout=TWO_OUTPUTS)
    assert board.names == ["click_auc"]
    board = board_for([[], ["auc"]], labels=(binary, binary), outputs=(scores, scores), layout=TWO_OUTPUTS)
    assert board.names == ["buy_auc"]


def test_metrics_by_output_are_fed_with_their_output(keras: KerasVersion) -> None:
    labels, outputs = {"click": binary, "buy": classes}, {"click": scores, "buy": softmax}
    board = board_for({"click": "mse", "buy": ["scacc"]}, labels=labels, outputs=outputs, layout=BY_KEY, keras=keras)
    results = updated(board, Element(None, labels), outputs)
    said = keras_says(
        [scores, softmax],
        {"click": binary, "buy": classes},
        metrics={"click": "mse", "buy": keras_module(2).metrics.SparseCategoricalAccuracy(name="scacc")},
    )
    assert results == {
        "click_mse": pytest.approx(said["click_mse"], rel=1e-6),
        "buy_scacc": pytest.approx(said["buy_scacc"], rel=1e-6),
    }


@pytest.mark.parametrize(
    ("plain", "weighted"),
    [(["auc", "AUC"], None), (["auc"], ["auc"]), (["auc", {"type": "mse", "args": {"name": "auc"}}], None)],
)
def test_two_metrics_of_one_name_are_refused(plain: Any, weighted: Any) -> None:
    with pytest.raises(ModelError, match=r"several metrics are called auc\n.*name"):
        board_for(plain, weighted, labels=binary, outputs=scores)


def test_more_lists_than_outputs_are_refused() -> None:
    with pytest.raises(ModelError, match=r"for 2 outputs, there are \['output_1'\]"):
        board_for([["auc"], ["mse"]], labels=binary, outputs=scores)


def test_unknown_outputs_are_refused() -> None:
    with pytest.raises(ModelError, match=r"\['share'\].*\['click', 'buy'\]"):
        board_for({"share": "auc"}, labels=(binary, binary), outputs=(scores, scores), layout=TWO_OUTPUTS)


def test_an_output_without_labels_is_refused() -> None:
    with pytest.raises(DataError, match="metric 'buy_accuracy' needs labels"):
        board_for("accuracy", labels={"click": binary}, outputs=(scores, scores), layout=TWO_OUTPUTS)


def test_no_metrics_give_an_empty_board() -> None:
    board = board_for(labels=None, outputs=scores)
    board.update(Element(None, binary), scores)
    assert board.results() == {}


def test_gauc_reads_ids_from_the_inputs(keras: KerasVersion) -> None:
    metric = {"type": "gauc", "args": {"user_id_index": "uid"}}
    board = board_for(metric, labels=binary, outputs=scores, keras=keras)
    users = tf.constant([b"a", b"a", b"b", b"b", b"b", b"c", b"c", b"d"])
    labels = tf.constant([0, 1, 1, 0, 0, 1, 1, 0])
    outputs = tf.constant([[0.1], [0.9], [0.4], [0.6], [0.2], [0.5], [0.4], [0.3]])
    results = updated(board, Element({"uid": users, "x": scores}, labels), outputs)
    assert results == {"gauc": pytest.approx((2 * 1 + 3 * 0.5) / 5)}


def test_a_board_works_in_a_replica_of_a_strategy(keras: KerasVersion) -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    names = ["auc", "f1", "po_acc", "mine"]
    loss = keras_module(keras).losses.MeanSquaredError()
    with strategy.scope():
        board = board_for(names, labels=binary, outputs=scores, keras=keras, factory=lambda _: loss)
    tf.function(lambda: strategy.run(lambda: board.update(Element(None, binary), scores)), autograph=False)()
    alone = board_for(names, labels=binary, outputs=scores, keras=keras, factory=lambda _: loss)
    assert board.results() == pytest.approx(updated(alone, Element(None, binary), scores), rel=1e-6)


def test_a_metric_may_have_python_conditions_on_tensors() -> None:
    def half_or_whole(y_true: Any, y_pred: Any) -> Any:
        if tf.reduce_mean(y_true) > 10:
            return tf.square(y_true - y_pred)
        return tf.square(y_true - y_pred) / 2

    board = board_for(["mine", "mse"], labels=binary, outputs=scores, factory=lambda _: half_or_whole)
    results = updated(board, Element(None, binary), scores)
    assert results["mine"] == pytest.approx(results["mse"] / 2, rel=1e-6)
