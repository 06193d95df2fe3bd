from typing import Any

import tensorflow as tf

from runyard.checkpoint.state import Snapshot, VariableState, describe_tensor, restore_snapshot, take_snapshot


def test_each_part_gets_back_its_own_share() -> None:
    parts = {name: VariableState({"w": tf.Variable([number])}) for name, number in (("a", 1.0), ("a/b", 2.0))}
    snapshot = take_snapshot(parts)
    assert list(snapshot.tensors) == ["a/w", "a/b/w"]
    for part in parts.values():
        part.variables["w"].assign([9.0])
    restore_snapshot(snapshot, parts)
    assert [part.variables["w"].numpy().tolist() for part in parts.values()] == [[1.0], [2.0]]


def test_a_snapshot_does_not_change_with_the_variables() -> None:
    def changed_by(change: Any) -> list[float]:
        variable = tf.Variable([1.0, 2.0, 3.0])
        snapshot = take_snapshot({"model": VariableState({"w": variable})})
        change(variable)
        assert variable.numpy().tolist() != [1.0, 2.0, 3.0]
        return snapshot.tensors["model/w"].numpy().tolist()

    changes = [
        lambda variable: variable.assign([7.0, 7.0, 7.0]),
        lambda variable: variable.assign_add([1.0, 1.0, 1.0]),
        lambda variable: variable.scatter_update(tf.IndexedSlices([5.0], [1])),
        lambda variable: variable[1].assign(5.0),
        lambda variable: tf.keras.optimizers.Adam().apply_gradients([(tf.ones([3]), variable)]),
        lambda variable: tf.function(variable.assign_sub)([1.0, 1.0, 1.0]),
        lambda variable: tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=1.0, delta=[1.0, 1.0, 1.0]),
    ]
    assert [changed_by(change) for change in changes] == [[1.0, 2.0, 3.0]] * len(changes)


def test_tensors_are_described_as_json_can_hold_it() -> None:
    assert describe_tensor(tf.zeros([2, 0], tf.float16)) == {"dtype": "float16", "shape": [2, 0]}
    variant = tf.data.Dataset.range(1)._variant_tensor
    assert describe_tensor(variant) == {"dtype": "variant", "shape": None}


def test_a_part_without_values_has_none() -> None:
    assert take_snapshot({"a": VariableState({})}) == Snapshot({}, {"a": {}})
