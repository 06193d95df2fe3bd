from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.config.known_names import Kind, find
from runyard.errors import DataError, ModelError
from runyard.training.losses import Losses, build_losses
from runyard.training.outputs import OutputLayout
from tests.training.forms import BY_KEY, ONE_OUTPUT, TWO_OUTPUTS, loss_forms, named_for, no_factory
from tests.training.reference import keras_says

ROWS = 6
RANDOM = np.random.default_rng(7)

ONE_HOT = {
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalHinge",
    "CosineSimilarity",
    "Dice",
    "KLDivergence",
    "Tversky",
}
CLASS_NUMBERS = {"SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy", "Circle"}
FLOAT_LABELS = {"CosineSimilarity"}  # Keras 2 refuses others
NO_ROW_WEIGHTS = {"Dice", "Tversky"}  # they make one number of the whole batch

scores = tf.constant(RANDOM.uniform(0.05, 0.95, (ROWS, 1)), tf.float32)
binary = tf.constant(RANDOM.integers(0, 2, (ROWS, 1)), tf.float32)
softmax = tf.nn.softmax(tf.constant(RANDOM.normal(size=(ROWS, 3)), tf.float32))
classes = tf.constant(RANDOM.integers(0, 3, (ROWS, 1)))
row_weights = tf.constant(RANDOM.uniform(0.0, 2.0, ROWS), tf.float32)


def losses_for(
    written: Any, *, layout: OutputLayout = ONE_OUTPUT, keras: KerasVersion = 2, factory: Any = no_factory
) -> Losses:
    return build_losses(loss_forms(written), layout=layout, keras=keras, factory=factory)


def only_value(losses: Losses, label: Any, output: Any, weight: Any = None) -> float:
    (value,) = losses(label, output, weight)
    assert value.dtype == tf.float32 and value.shape == ()
    return float(value)


def suitable(class_name: str) -> tuple[Any, Any]:
    """Outputs and labels that the loss is made for."""
    if class_name in CLASS_NUMBERS:
        return softmax, classes
    if class_name in ONE_HOT:
        return softmax, tf.one_hot(classes[:, 0], 3)
    return scores, binary


KERAS_LOSSES = [
    (name, keras)
    for name, keras in named_for(Kind.LOSS)
    if not find(Kind.LOSS, name).own and name != "CTC"  # type: ignore[union-attr]
]


@pytest.mark.parametrize(("name", "keras"), KERAS_LOSSES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_a_loss_is_what_keras_computes(name: str, keras: KerasVersion, weighted: bool) -> None:
    class_name = find(Kind.LOSS, name).class_name  # type: ignore[union-attr]
    reference_keras = 2 if hasattr(keras_module(2).losses, class_name) else 3
    reference = getattr(keras_module(reference_keras).losses, class_name)
    losses = losses_for(name, keras=keras)
    output, label = suitable(class_name)
    columns = [label, tf.squeeze(label, -1)] if label.shape[-1] == 1 else [label]
    if class_name == "CategoricalGeneralizedCrossEntropy":
        columns = columns[1:]  # Keras itself mixes rows up when labels are (B, 1)
    if class_name not in FLOAT_LABELS:
        columns += [tf.cast(column, tf.int64) for column in columns]
    by_row = weighted and class_name not in NO_ROW_WEIGHTS
    for labels in columns:
        for weights in (row_weights, row_weights[:, None]) if by_row else (None,):
            said = keras_says(output, labels, weights, keras=reference_keras, loss=reference())["loss"]
            assert only_value(losses, labels, output, weights) == pytest.approx(said, rel=1e-6, abs=1e-6)


def test_ctc_is_what_keras_computes() -> None:
    output = tf.constant(RANDOM.normal(size=(2, 8, 5)), tf.float32)
    label = tf.constant([[1, 2, 3], [4, 1, 2]])
    said = keras_says(output, label, keras=3, loss=keras_module(3).losses.CTC())["loss"]
    assert only_value(losses_for("ctc", keras=3), label, output) == pytest.approx(said, rel=1e-6)


def test_a_loss_that_only_the_other_keras_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Keras 2 has no Tversky.*\n.*only Keras 3"):
        losses_for("tversky", keras=2)


def test_arguments_reach_the_constructor(keras: KerasVersion) -> None:
    losses = losses_for({"type": "bce", "args": {"from_logits": True, "label_smoothing": 0.1}}, keras=keras)
    reference = keras_module(2).losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1)
    assert only_value(losses, binary, scores) == pytest.approx(float(reference(binary, scores)), rel=1e-6)


@pytest.mark.parametrize("name", ["mse", "bpr"])
def test_refused_arguments_are_an_error_of_the_model(keras: KerasVersion, name: str) -> None:
    with pytest.raises(ModelError, match="refuses its arguments"):
        losses_for({"type": name, "args": {"reduction": "rubbish"}}, keras=keras)


def test_one_loss_serves_every_output(keras: KerasVersion) -> None:
    losses = losses_for({"type": "mse", "weight": 2}, layout=TWO_OUTPUTS, keras=keras)
    said = keras_says([scores, softmax], [binary, tf.one_hot(classes[:, 0], 3)], loss="mse", loss_weights=[2.0, 2.0])
    values = losses((binary, tf.one_hot(classes[:, 0], 3)), [scores, softmax], None)
    assert float(tf.add_n(values)) == pytest.approx(said["loss"], rel=1e-6)
    assert float(values[0]) == pytest.approx(2 * said["click_loss"], rel=1e-6)


@pytest.mark.parametrize("written", [["bce", {"type": "scce", "weight": 0.25}], "by name"])
@pytest.mark.parametrize("labels", ["tuple", "dict"])
@pytest.mark.parametrize("weights", ["none", "one for all", "tuple", "dict"])
def test_losses_of_several_outputs_add_up_as_in_keras(
    keras: KerasVersion, written: Any, labels: str, weights: str
) -> None:
    if written == "by name":
        written = {"buy": {"type": "scce", "weight": 0.25}, "click": "bce"}
    given: Any = {"tuple": (binary, classes), "dict": {"buy": classes, "click": binary}}[labels]
    weight: Any = {
        "none": None,
        "one for all": row_weights,
        "tuple": (row_weights, row_weights + 1),
        "dict": {"click": row_weights, "buy": row_weights + 1},
    }[weights]
    losses = losses_for(written, layout=TWO_OUTPUTS, keras=keras)
    said = keras_says(
        [scores, softmax],
        given,
        weight,
        loss=["binary_crossentropy", "sparse_categorical_crossentropy"],
        loss_weights=[1.0, 0.25],
    )
    assert float(tf.add_n(losses(given, [scores, softmax], weight))) == pytest.approx(said["loss"], rel=1e-6)


def test_dict_outputs_are_paired_with_dict_labels_by_name(keras: KerasVersion) -> None:
    losses = losses_for(["scce", "bce"], layout=BY_KEY, keras=keras)
    in_order = losses_for(["bce", "scce"], layout=TWO_OUTPUTS, keras=keras)
    by_name = losses({"click": binary, "buy": classes}, {"click": scores, "buy": softmax}, None)
    assert [float(value) for value in reversed(by_name)] == [
        float(value) for value in in_order((binary, classes), (scores, softmax), None)
    ]


def test_one_label_serves_every_output(keras: KerasVersion) -> None:
    losses = losses_for(["mse", "mae"], layout=TWO_OUTPUTS, keras=keras)
    assert [float(v) for v in losses(binary, (scores, scores), None)] == [
        float(v) for v in losses((binary, binary), (scores, scores), None)
    ]


def test_outputs_without_a_loss_are_left_out_with_a_remark() -> None:
    layout = OutputLayout(names=("click", "buy", "stay"), keys=(0, 1, 2))
    losses = losses_for(["mse", "mse"], layout=layout)
    assert losses.remarks == ["outputs without a loss, left out of training: stay"]
    assert len(losses((binary, binary, binary), (scores, scores, scores), None)) == 2


def test_outputs_left_out_need_no_label() -> None:
    layout = OutputLayout(names=("click", "buy", "stay"), keys=(0, 1, 2))
    losses = losses_for(["mse", "mse"], layout=layout)
    assert len(losses({"click": binary, "buy": binary}, (scores, scores, scores), None)) == 2


def test_more_losses_than_outputs_are_refused() -> None:
    with pytest.raises(ModelError, match=r"3 losses for 2 outputs \['click', 'buy'\]"):
        losses_for(["mse", "mae", "bce"], layout=TWO_OUTPUTS)


def test_a_loss_for_an_output_that_is_not_there_is_refused() -> None:
    with pytest.raises(ModelError, match=r"\['share'\].*\['click', 'buy'\]"):
        losses_for({"share": "mse"}, layout=TWO_OUTPUTS)


def test_a_loss_without_its_label_is_refused() -> None:
    losses = losses_for("mse", layout=TWO_OUTPUTS)
    with pytest.raises(DataError, match="output 'buy' has a loss but no label"):
        losses({"click": binary}, (scores, scores), None)


@pytest.mark.parametrize("made_by", [2, 3])
def test_a_factory_may_return_a_loss_of_either_keras(keras: KerasVersion, made_by: KerasVersion) -> None:
    losses = losses_for("mine", keras=keras, factory=lambda _: keras_module(made_by).losses.MeanSquaredError())
    expected = only_value(losses_for("mse", keras=keras), binary, scores, row_weights)
    assert only_value(losses, binary, scores, row_weights) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda y_true, y_pred: tf.reduce_mean(tf.square(tf.cast(y_true, tf.float32) - y_pred), axis=-1),
        lambda y_true, y_pred: tf.square(tf.cast(y_true, tf.float32) - y_pred),
    ],
    ids=["for each row", "for each number"],
)
def test_a_factory_may_return_a_function(keras: KerasVersion, function: Any) -> None:
    losses = losses_for("mine", keras=keras, factory=lambda _: function)
    expected = only_value(losses_for("mse", keras=keras), binary, scores, row_weights)
    assert only_value(losses, binary[:, 0], scores, row_weights) == pytest.approx(expected, rel=1e-6)


def test_a_factory_receives_the_spec() -> None:
    received: list[Any] = []
    losses_for({"type": "mine", "args": {"scale": 3}}, factory=lambda spec: received.append(spec) or (lambda a, b: b))
    assert received[0].args == {"scale": 3}


@pytest.mark.parametrize("rubbish", [None, 3, "mse"])
def test_a_factory_that_returns_no_loss_is_refused(keras: KerasVersion, rubbish: object) -> None:
    with pytest.raises(ModelError, match=r"the loss factory mine returned .*, expected a Keras loss or a function"):
        losses_for("mine", keras=keras, factory=lambda _: rubbish)


def test_a_factory_that_returns_a_class_is_refused(keras: KerasVersion) -> None:
    with pytest.raises(ModelError, match="returned the class MeanSquaredError"):
        losses_for("mine", keras=keras, factory=lambda _: keras_module(keras).losses.MeanSquaredError)


def test_a_loss_that_is_not_reduced_is_averaged(keras: KerasVersion) -> None:
    losses = losses_for({"type": "mse", "args": {"reduction": "none"}}, keras=keras)
    assert only_value(losses, binary, scores, row_weights) == pytest.approx(
        only_value(losses_for("mse", keras=keras), binary, scores, row_weights), rel=1e-6
    )


@pytest.mark.parametrize("name", ["bce", "bpr", "mine"])
def test_losses_work_in_a_replica_of_a_strategy(keras: KerasVersion, name: str) -> None:
    losses = losses_for(name, keras=keras, factory=lambda _: lambda y_true, y_pred: tf.square(y_true - y_pred))
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    values = tf.function(lambda: strategy.run(lambda: losses(binary, scores, row_weights)), autograph=False)()
    assert float(values[0]) == pytest.approx(only_value(losses, binary, scores, row_weights), rel=1e-6)


def test_masked_steps_do_not_count(keras: KerasVersion) -> None:
    package = keras_module(keras)
    model = package.Sequential([package.layers.Embedding(5, 2, mask_zero=True), package.layers.Dense(1)])
    words = tf.constant([[1, 2, 0, 0], [3, 0, 0, 0]])
    labels = tf.ones((2, 4, 1))
    model.compile(loss="mse", run_eagerly=True)
    said = model.test_on_batch(words, labels, return_dict=True)["loss"]
    assert only_value(losses_for("mse", keras=keras), labels, model(words)) == pytest.approx(float(said), rel=1e-6)


def test_a_function_may_have_python_conditions_on_tensors() -> None:
    def half_or_whole(y_true: Any, y_pred: Any) -> Any:
        if tf.reduce_mean(y_true) > 10:
            return tf.square(y_true - y_pred)
        return tf.square(y_true - y_pred) / 2

    losses = losses_for("mine", factory=lambda _: half_or_whole)
    step = tf.function(lambda: losses(binary, scores, None), autograph=False)
    assert float(step()[0]) == pytest.approx(only_value(losses_for("mse"), binary, scores) / 2, rel=1e-6)
