"""What people have fallen into: it cannot happen any more, or the message says what to do."""

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from runyard.errors import ConfigError, RunyardError
from tests.moxing.executor.models import classifier, lines, run, samples, steps, weights


def test_2_3_1_a_process_that_is_not_in_its_list_of_hosts() -> None:
    mox.set_flag("job_name", "worker")
    mox.set_flag("task_index", 2)
    mox.set_flag("ps_hosts", "127.0.0.1:2222")
    mox.set_flag("worker_hosts", "127.0.0.1:2223,127.0.0.1:2224")
    with pytest.raises(ConfigError, match="worker 0 to 1"):
        run()


def test_4_0_1_a_single_input_is_a_list_of_one() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        images = inputs[0]
        assert images.shape.as_list() == [8, 6]
        weight = tf.get_variable("weight", [6, 1])
        return mox.ModelSpec(loss=tf.reduce_mean(images @ weight))

    run(input_fn=lambda mode: samples(mode)[0], model_fn=model_fn)


def test_4_1_2_regularisation_losses_on_every_device(tmp_path: Path) -> None:
    found: list[int] = []

    def model_fn(inputs: Any, mode: str, **kwargs: Any) -> Any:
        with tf.variable_scope("", regularizer=tf.keras.regularizers.L2(0.01)):
            spec = classifier(inputs, mode)
        losses = mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        found.append(len(losses))
        spec.loss += tf.add_n(losses)
        return spec

    for clones in (1, 2):
        mox.set_flag("num_gpus", clones)
        run(model_fn=model_fn, batch_size=8 // clones, log_dir=str(tmp_path / str(clones)))
    assert found == [4, 4, 4]
    one, two = weights(tmp_path / "1"), weights(tmp_path / "2")
    assert abs(one["hidden/kernel"] - two["hidden/kernel"]).max() < 1e-6


def test_4_4_3_a_version_that_is_there_is_found_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        assert spec.export_spec is not None
        spec.export_spec.version = 1
        return spec

    (tmp_path / "1").mkdir()
    with pytest.raises(AssertionError, match="Export directory already exists") as failure:
        run(model_fn=model_fn, log_dir=str(tmp_path), export_model=mox.ExportKeys.TF_SERVING)
    assert isinstance(failure.value, RunyardError)
    assert str(tmp_path / "1") in str(failure.value)
    assert steps(capsys.readouterr().err) == []


def test_4_4_4_tf_variable_and_adam_in_model_fn(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.Variable(tf.ones([6, 2]), name="weight")
        logits = inputs[0] @ weight
        return mox.ModelSpec(
            loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits), output_info={"logits": logits}
        )

    mox.set_flag("num_gpus", 2)
    run(model_fn=model_fn, optimizer_fn=lambda: tf.train.AdamOptimizer(0.01), log_dir=str(tmp_path))
    assert {"weight", "weight/Adam", "beta1_power"} < set(weights(tmp_path))
    run(model_fn=model_fn, run_mode="PREDICT", log_dir=str(tmp_path))


def test_5_1_1_an_optimizer_instead_of_a_function() -> None:
    with tf.Graph().as_default():
        optimizer = tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9)
    with pytest.raises(TypeError, match="'MomentumOptimizer' object is not callable") as failure:
        run(optimizer_fn=optimizer)
    assert "lambda: MomentumOptimizer(...)" in str(failure.value)


def test_6_0_1_nothing_left_to_train_is_said_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=10)
    capsys.readouterr()
    run(log_dir=str(tmp_path), max_number_of_steps=10)
    shown = capsys.readouterr().err
    (line,) = lines(shown, "nothing left to train")
    for words in (f"{tmp_path}/model.ckpt-10", "10 steps", "max_number_of_steps is 10", "new log_dir"):
        assert words in line
    assert steps(shown) == []


def test_6_0_2_all_devices_count_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(log_dir=str(tmp_path))
    found = []
    for clones, first in ((1, True), (2, False), (2, True)):
        mox.set_flag("num_gpus", clones)
        mox.set_flag("log_first_clone", first)
        capsys.readouterr()
        run(run_mode="EVAL", log_dir=str(tmp_path), max_number_of_steps=0, batch_size=8)
        found.append(lines(capsys.readouterr().err))
    whole, all_devices, first_device = found
    assert float(whole[-1].split()[1]) == pytest.approx(float(all_devices[-1].split()[1]), rel=1e-5)
    assert whole[-1].endswith("[96 examples]") and all_devices[-1].endswith("[96 examples]")
    assert "--log_first_clone=False counts all of them" in first_device[-1]
