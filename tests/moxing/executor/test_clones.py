"""Several devices."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import WrongValue
from runyard.bridge import keras_module
from runyard.errors import ConfigError
from tests.moxing.executor.models import FEATURES, assert_same, batches, classifier, dense, run, samples, weights

OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_two_devices_with_half_the_batch_give_the_same_weights(optimizer: str, tmp_path: Path) -> None:
    for folder, clones in (("one", 1), ("two", 2)):
        mox.set_flag("num_gpus", clones)
        run(
            optimizer_fn=OPTIMIZERS[optimizer],
            batch_size=16 // clones,
            log_dir=str(tmp_path / folder),
            max_number_of_steps=30,
        )
    assert_same(weights(tmp_path / "one"), weights(tmp_path / "two"), tolerance=1e-5)


def test_sparse_gradients_are_averaged_too(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        table = tf.get_variable("table", [2, 3], initializer=tf.ones_initializer())
        rows = tf.nn.embedding_lookup(table, inputs[1])
        return mox.ModelSpec(loss=tf.reduce_mean(tf.square(rows - inputs[0][:, :3])))

    for folder, clones in (("one", 1), ("two", 2)):
        mox.set_flag("num_gpus", clones)
        run(model_fn=model_fn, batch_size=16 // clones, log_dir=str(tmp_path / folder), max_number_of_steps=10)
    assert_same(weights(tmp_path / "one"), weights(tmp_path / "two"), tolerance=1e-6)


def test_already_batched_rows_go_to_each_device_in_turn(tmp_path: Path) -> None:
    mox.set_flag("num_gpus", 2)
    run(input_fn=batches, auto_batch=False, batch_size=8, log_dir=str(tmp_path / "a"))
    run(input_fn=samples, batch_size=8, log_dir=str(tmp_path / "b"))
    assert_same(weights(tmp_path / "a"), weights(tmp_path / "b"), tolerance=1e-6)


def test_model_fn_is_called_on_each_device() -> None:
    seen: list[Any] = []

    def model_fn(inputs: Any, mode: str) -> Any:
        seen.append(tf.DeviceSpec.from_string((inputs[0] + 1.0).device).device_index)
        return classifier(inputs, mode)

    mox.set_flag("num_gpus", 3)
    run(model_fn=model_fn)
    assert seen == [0, 1, 2]


def keras_layers(inputs: Any, mode: str, **_: Any) -> Any:
    keras = keras_module(2)
    x = keras.layers.Dense(8, activation="relu")(inputs[0])
    x = keras.layers.BatchNormalization()(x, training=mode == mox.ModeKeys.TRAIN)
    x = keras.layers.Dense(4, name="named")(x)
    logits = keras.layers.Dense(2)(x)
    loss = tf.losses.sparse_softmax_cross_entropy(inputs[1], logits)
    return mox.ModelSpec(loss=loss, log_info={"loss": loss}, output_info={"logits": logits})


KERAS_NAMES = {
    "dense/kernel",
    "dense/bias",
    "batch_normalization/gamma",
    "batch_normalization/beta",
    "batch_normalization/moving_mean",
    "batch_normalization/moving_variance",
    "named/kernel",
    "named/bias",
    "dense_1/kernel",
    "dense_1/bias",
    "global_step",
}


@pytest.mark.parametrize("clones", [1, 2])
def test_keras_layers_share_their_variables(clones: int, tmp_path: Path) -> None:
    mox.set_flag("num_gpus", clones)
    run(model_fn=keras_layers, log_dir=str(tmp_path), inter_mode="EVAL")
    found = weights(tmp_path)
    assert set(found) == KERAS_NAMES
    assert not np.allclose(found["batch_normalization/moving_mean"], 0)
    run(model_fn=keras_layers, run_mode="PREDICT", log_dir=str(tmp_path))
    run(model_fn=keras_layers, log_dir=str(tmp_path), max_number_of_steps=8)
    assert weights(tmp_path)["global_step"] == 8


def test_layers_that_tensorflow_keeps_for_itself(tmp_path: Path) -> None:
    from tensorflow.python.keras.layers import Dense

    def model_fn(inputs: Any, mode: str) -> Any:
        logits = Dense(2)(Dense(4)(inputs[0]))
        return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits))

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, log_dir=str(tmp_path))
    assert set(weights(tmp_path)) == {"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias", "global_step"}


@pytest.fixture(params=["of TensorFlow 2", "of TensorFlow 1"])
def control_flow(request: pytest.FixtureRequest) -> Iterator[None]:
    """Old programs have the older one."""
    if request.param.endswith("1"):
        tf.disable_control_flow_v2()
    try:
        yield
    finally:
        tf.enable_control_flow_v2()


@pytest.mark.usefixtures("control_flow")
def test_a_keras_model_from_json_updates_its_statistics_from_the_batches(tmp_path: Path) -> None:
    keras = keras_module(2)
    inputs = keras.Input((6,))
    dense = keras.layers.Dense(2, name="dense")
    normal = keras.layers.BatchNormalization(name="batch_normalization")
    text = keras.Model(inputs, normal(dense(inputs))).to_json()

    def model_fn(inputs: Any, mode: str) -> Any:
        logits = keras.models.model_from_json(text)(inputs[0], training=mode == mox.ModeKeys.TRAIN)
        return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits))

    run(model_fn=model_fn, log_dir=str(tmp_path))
    found = weights(tmp_path)
    assert {"dense/kernel", "batch_normalization/moving_mean"} < set(found)
    assert not np.allclose(found["batch_normalization/moving_mean"], 0)


def test_variables_made_with_tf_variable_are_shared(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        with tf.variable_scope("head"):
            weight = tf.Variable(tf.zeros([6]), name="weight")
        again = tf.Variable(0.0), tf.Variable(1.0)
        loss = tf.reduce_mean(inputs[0] @ weight[:, None]) + again[0] * again[1]
        return mox.ModelSpec(loss=loss)

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, log_dir=str(tmp_path))
    assert set(weights(tmp_path)) == {"head/weight", "Variable", "Variable_1", "global_step"}


def test_get_variable_beside_a_layer_of_the_same_name(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        with tf.variable_scope("dense"):
            other = tf.get_variable("kernel", [6, 2], initializer=tf.zeros_initializer())
        logits = inputs[0] @ other + keras_module(2).layers.Dense(2, kernel_initializer="ones")(inputs[0])
        return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits))

    for clones in (1, 2):
        mox.set_flag("num_gpus", clones)
        run(model_fn=model_fn, log_dir=str(tmp_path / str(clones)), batch_size=8 // clones)
    assert_same(weights(tmp_path / "1"), weights(tmp_path / "2"), tolerance=1e-5)


def test_collections_are_those_of_the_clone() -> None:
    seen: list[Any] = []

    def model_fn(inputs: Any, mode: str) -> Any:
        with tf.variable_scope("net", regularizer=tf.keras.regularizers.L2(0.5)):
            kernel = tf.get_variable("kernel", [6, 2], initializer=tf.ones_initializer())
        tf.add_to_collection("mine", inputs[0])
        tf.layers.batch_normalization(inputs[0], training=True, name="norm")
        spec = mox.ModelSpec(
            loss=tf.reduce_mean(inputs[0] @ kernel) + tf.add_n(mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)),
        )
        seen.append(
            {
                "variables": [variable.op.name for variable in mox.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)],
                "losses": mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES),
                "updates": mox.get_collection(tf.GraphKeys.UPDATE_OPS),
                "mine": mox.get_collection("mine"),
            }
        )
        return spec

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn)
    first, second = seen
    assert first["variables"] == second["variables"] == ["net/kernel", "norm/gamma", "norm/beta"]
    assert len(first["losses"]) == 1 and second["losses"][0] is first["losses"][0]
    assert len(first["updates"]) == len(second["updates"]) == 2
    assert not set(map(str, first["updates"])) & set(map(str, second["updates"]))
    assert len(first["mine"]) == len(second["mine"]) == 1 and first["mine"][0] is not second["mine"][0]


def test_outside_of_model_fn_collections_are_tensorflows() -> None:
    with tf.Graph().as_default():
        tf.add_to_collection("mine", 1)
        assert mox.get_collection("mine") == [1]


def test_layers_of_tf_layers_and_slim_share_their_variables(tmp_path: Path) -> None:
    import tf_slim as slim

    def model_fn(inputs: Any, mode: str) -> Any:
        training = mode == mox.ModeKeys.TRAIN
        x = tf.layers.dense(inputs[0], 4)
        x = tf.layers.dense(x, 4)
        x = slim.fully_connected(
            x, 4, normalizer_fn=slim.batch_norm, normalizer_params={"is_training": training}, scope="slim"
        )
        logits = slim.fully_connected(x, 2, activation_fn=None)
        loss = tf.losses.sparse_softmax_cross_entropy(inputs[1], logits)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    for clones in (1, 2):
        mox.set_flag("num_gpus", clones)
        run(model_fn=model_fn, log_dir=str(tmp_path / str(clones)), inter_mode="EVAL")
    first, second = weights(tmp_path / "1"), weights(tmp_path / "2")
    assert first.keys() == second.keys()
    assert {"dense/kernel", "dense_1/kernel", "slim/BatchNorm/moving_mean", "fully_connected/weights"} < set(first)
    assert not np.allclose(second["slim/BatchNorm/moving_variance"], 1)


def test_local_variables_are_each_clones_own(tmp_path: Path) -> None:
    names: list[str] = []

    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        _, update = tf.metrics.mean(inputs[0])
        spec.log_info["mean"] = update
        names[:] = [variable.op.name for variable in tf.local_variables()]
        return spec

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, log_dir=str(tmp_path))
    assert len(set(names)) == 4


def test_more_devices_than_there_are() -> None:
    if not tf2.config.list_physical_devices("GPU"):
        pytest.skip("without GPUs, devices are made")
    mox.set_flag("num_gpus", 1000)
    with pytest.raises(Exception, match="this machine has"):
        run()


def test_a_model_that_is_another_in_the_inter_mode_is_refused() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        x = keras_module(2).layers.Dense(4 if mode == mox.ModeKeys.TRAIN else 5)(inputs[0])
        loss = tf.reduce_mean(dense(x, 1, name=f"head_{mode}"))
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    with pytest.raises(WrongValue, match="dense/kernel:0 with shape"):
        run(model_fn=model_fn, inter_mode="EVAL")


def test_variables_in_parts(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        table = tf.get_variable(
            "table", [6, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2)
        )
        logits = inputs[0] @ tf.convert_to_tensor(table)
        loss = tf.losses.sparse_softmax_cross_entropy(inputs[1], logits)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, log_dir=str(tmp_path))
    assert weights(tmp_path)["table"].shape == (6, 2)
    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=7)
    run(model_fn=model_fn, log_dir=str(tmp_path), run_mode="EVAL")


def test_statistics_are_those_of_the_first_device(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        mean = tf.get_variable("mean", [6], initializer=tf.zeros_initializer(), trainable=False)
        batch_mean = tf.reduce_mean(inputs[0], 0)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, mean.assign_add(batch_mean))
        return classifier(inputs, mode)

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=1)
    np.testing.assert_allclose(weights(tmp_path)["mean"], FEATURES[:8].mean(0), rtol=1e-5)


def test_fewer_devices_than_none_are_refused() -> None:
    mox.set_flag("num_gpus", -1)
    with pytest.raises(ConfigError, match="--num_gpus=-1; it is a number of devices"):
        run()
