"""`mox.var_scope`."""

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox


def test_it_stores_one_type_and_gives_another() -> None:
    with tf.Graph().as_default():
        with mox.var_scope(force_dtype=tf.float32):
            a = tf.get_variable("a", shape=[], dtype=tf.float16)
        assert repr(a).startswith("<tf.Tensor 'Cast:0'") and a.dtype == tf.float16
        assert [(v.name, v.dtype) for v in tf.global_variables()] == [("a:0", tf.float32)]


@pytest.mark.parametrize("dtype", [tf.float32, tf.int32, tf.bool])
def test_it_leaves_other_types_alone(dtype: Any) -> None:
    with tf.Graph().as_default():
        with mox.var_scope(force_dtype=tf.float32):
            made = tf.get_variable("a", shape=[2], dtype=dtype, initializer=tf.zeros_initializer())
        assert made is tf.global_variables()[0] and made.dtype == dtype


def test_an_initial_value_may_be_a_tensor_and_scopes_may_be_nested() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with mox.var_scope(force_dtype=tf.float32), tf.variable_scope("net"):
            a = tf.get_variable("a", initializer=tf.ones([2], tf.float16))
        with tf.variable_scope("net", reuse=True), mox.var_scope(force_dtype=tf.float32):
            again = tf.get_variable("a", dtype=tf.float16)
        assert [v.op.name for v in tf.global_variables()] == ["net/a"]
        session.run(tf.global_variables_initializer())
        assert session.run([a, again])[1].tolist() == [1.0, 1.0]


def test_without_a_type_nothing_is_forced() -> None:
    with tf.Graph().as_default(), mox.var_scope():
        assert tf.get_variable("a", [], tf.float16).dtype == tf.float16
