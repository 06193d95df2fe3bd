import tensorflow as tf

from runyard.data.shapes import describe, summary


def test_every_tensor_is_described() -> None:
    structure = ({"age": tf.zeros((32, 1), tf.int64), "name": tf.constant(["a", "b"])}, tf.zeros(()), None)
    assert list(describe(structure)) == [
        ("[0].age", "(32, 1)", "int64"),
        ("[0].name", "(2,)", "string"),
        ("[1]", "()", "float32"),
    ]


def test_unknown_sizes_are_question_marks() -> None:
    assert summary(tf.TensorSpec([None, 4])) == "(?, 4) float32"
    assert summary(tf.TensorSpec(None)) == "(any shape) float32"


def test_sparse_and_ragged_tensors_have_shapes_too() -> None:
    assert summary(tf.RaggedTensorSpec([None, None], tf.int32)) == "(?, ?) int32"
    assert summary(tf.sparse.from_dense([[1, 0], [0, 2]])) == "(2, 2) int32"


def test_a_summary_is_one_line() -> None:
    assert summary({"x": tf.zeros((2, 4)), "y": tf.zeros((2,))}) == "x: (2, 4) float32, y: (2,) float32"
