import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.data.elements import Element
from runyard.training.accuracy import accuracy_class
from runyard.training.metric_board import build_board
from tests.training.forms import ONE_OUTPUT, metric_forms, no_factory
from tests.training.reference import keras_says


@pytest.mark.parametrize(
    ("label_shape", "output_shape", "expected"),
    [
        ((6,), (6, 1), "BinaryAccuracy"),
        ((6, 1), (6, 1), "BinaryAccuracy"),
        ((6, 4, 1), (6, 4, 1), "BinaryAccuracy"),
        ((6,), (6, 3), "SparseCategoricalAccuracy"),
        ((6, 1), (6, 3), "SparseCategoricalAccuracy"),
        ((6, 4), (6, 4, 3), "SparseCategoricalAccuracy"),
        ((6, 4, 1), (6, 4, 3), "SparseCategoricalAccuracy"),
        ((6, 3), (6, 3), "CategoricalAccuracy"),
        ((6, 4, 3), (6, 4, 3), "CategoricalAccuracy"),
    ],
)
def test_accuracy_is_chosen_as_keras_chooses(
    keras: KerasVersion, label_shape: tuple[int, ...], output_shape: tuple[int, ...], expected: str
) -> None:
    tf.random.set_seed(5)
    label = tf.random.uniform(label_shape, 0, 2, tf.int32)
    output = tf.random.uniform(output_shape)
    assert accuracy_class(label, output) == expected
    board = build_board(
        metric_forms("accuracy"), None, layout=ONE_OUTPUT, labels=label, outputs=output, keras=keras, factory=no_factory
    )
    board.update(Element(None, label), output)
    said = keras_says(output, label, metrics=["accuracy"])
    assert board.results() == {"accuracy": pytest.approx(said["accuracy"], rel=1e-6)}


def test_an_output_without_columns_is_binary() -> None:
    assert accuracy_class(tf.zeros((6,)), tf.zeros((6,))) == "BinaryAccuracy"


def test_shapes_may_be_unknown() -> None:
    unknown = tf.TensorSpec(None)
    assert accuracy_class(tf.TensorSpec([None]), tf.TensorSpec([None, 3])) == "SparseCategoricalAccuracy"
    assert accuracy_class(tf.TensorSpec([None]), tf.TensorSpec([None])) == "BinaryAccuracy"
    assert accuracy_class(unknown, tf.TensorSpec([None, 3])) == "CategoricalAccuracy"
    assert accuracy_class(tf.TensorSpec([None]), unknown) == "CategoricalAccuracy"
