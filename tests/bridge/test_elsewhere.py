"""What is traced for variables that are in other processes."""

import numpy as np

from runyard.bridge import adding_in_place, keras_module, looking_up_in_place, start_tensorflow, tensorflow_variable

tf = start_tensorflow(2)
keras = keras_module(3)


def operations(function: object) -> dict[str, str]:
    """The device of each kind of operation in a function without arguments."""
    graph = tf.function(function, autograph=False).get_concrete_function().graph
    return {operation.type: operation.device for operation in graph.get_operations()}


def test_keras_3_adds_in_one_operation_within_the_block_only() -> None:
    total = keras.Variable(np.zeros(2, np.float32))

    def add() -> None:
        total.assign_add(1)
        total.assign_sub(np.asarray([0.5, 2.0]))

    with adding_in_place():
        traced = tf.function(add, autograph=False).get_concrete_function()
    kinds = {operation.type for operation in traced.graph.get_operations()}
    assert {"AssignAddVariableOp", "AssignSubVariableOp"} <= kinds
    assert "AssignVariableOp" not in kinds
    traced()
    np.testing.assert_array_equal(np.asarray(total), [0.5, -1.0])
    assert "AssignVariableOp" in operations(add)


def test_keras_3_picks_rows_where_the_table_is() -> None:
    layer = keras.layers.Embedding(5, 2)
    layer.build()
    where = tensorflow_variable(layer.embeddings).device

    def look_up() -> object:
        return layer(tf.constant([1, 4]))

    with looking_up_in_place():
        inside = operations(look_up)
    assert where
    assert inside["GatherV2"] == where
    assert operations(look_up)["GatherV2"] == ""
