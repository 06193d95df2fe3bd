"""Networks in whole programs: training, evaluation, prediction, export."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf
import tf_slim as slim

import moxing.tensorflow as mox
from tests.moxing.executor.models import weights

pytestmark = pytest.mark.slow

RANDOM = np.random.RandomState(0)
LABELS = RANDOM.randint(0, 4, 128)
BARS = np.zeros((128, 30, 30, 3), np.uint8)
for picture, label in zip(BARS, LABELS, strict=True):
    picture[:, 6 * label + 2 : 6 * label + 8] = 255
BARS += RANDOM.randint(0, 50, BARS.shape).astype(np.uint8) // 2


def program(name: str, *, channels: int = 3, size: int | None = None) -> dict[str, Any]:
    """The callbacks of a program that tells four kinds of bars apart."""
    meta = mox.get_model_meta(name)
    side = size or meta.default_image_size

    def input_fn(mode: str, **_: Any) -> Any:
        tf.set_random_seed(1)
        data = tf.data.Dataset.from_tensor_slices((BARS[..., :channels], LABELS))
        data = data.repeat() if mode == mox.ModeKeys.TRAIN else data
        image, label = tf.data.make_one_shot_iterator(data).get_next()
        augment = mox.get_data_augmentation_fn(name=name, run_mode=mode, output_height=side, output_width=side)
        return augment(image), label

    def model_fn(inputs: Any, mode: str, **_: Any) -> Any:
        images, labels = inputs
        logits, _ = mox.get_model_fn(
            name=name,
            run_mode=mode,
            num_classes=4,
            weight_decay=0.0001,
            batch_norm_fused=True,
            image_height=side,
            image_width=side,
        )(images)
        loss = tf.losses.softmax_cross_entropy(logits=logits, onehot_labels=slim.one_hot_encoding(labels, 4))
        loss += tf.add_n(mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))
        return mox.ModelSpec(
            loss=loss,
            log_info={"loss": loss, "accuracy": accuracy},
            output_info={"logits": logits},
            export_spec=mox.ExportSpec(inputs_dict={"images": images}, outputs_dict={"logits": logits}, version=1),
        )

    return {"input_fn": input_fn, "model_fn": model_fn, "batch_size": 32}


def test_lenet_learns_and_all_modes_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lenet = program("lenet", channels=1)
    mox.run(
        **lenet,
        optimizer_fn=mox.get_optimizer_fn("momentum", learning_rate=0.01),
        run_mode=mox.ModeKeys.TRAIN,
        log_dir=str(tmp_path),
        max_number_of_steps=40,
        export_model=mox.ExportKeys.TF_SERVING,
    )
    mox.run(**lenet, run_mode=mox.ModeKeys.EVAL, checkpoint_path=str(tmp_path))
    accuracy = float(capsys.readouterr().err.split("accuracy: ")[-1].split("\t")[0])
    assert accuracy > 0.9
    outputs: list[Any] = []
    mox.run(
        **lenet, run_mode=mox.ModeKeys.PREDICT, checkpoint_path=str(tmp_path), output_fn=lambda got: outputs.extend(got)
    )
    predicted = np.concatenate([one["logits"] for one in outputs])
    assert (predicted.argmax(1) == LABELS).mean() == pytest.approx(accuracy, abs=0.001)
    served = tf2.saved_model.load(str(tmp_path / "1")).signatures["predict_object"]
    middles = BARS[:, 1:29, 1:29, :1].astype(np.float32)
    exported = served(images=tf2.constant(middles))["logits"]
    np.testing.assert_allclose(exported, predicted, atol=1e-3)


def test_cifarnet_trains_with_augmented_images(tmp_path: Path) -> None:
    mox.run(
        **program("cifarnet"),
        optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.01),
        run_mode=mox.ModeKeys.TRAIN,
        log_dir=str(tmp_path),
        max_number_of_steps=3,
    )
    assert weights(tmp_path)["global_step"] == 3


def test_a_normalised_network_keeps_its_statistics_on_two_devices(tmp_path: Path) -> None:
    mox.set_flag("num_gpus", 2)
    mox.run(
        **program("mobilenet_v1_025", size=32),
        optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.01),
        run_mode=mox.ModeKeys.TRAIN,
        log_dir=str(tmp_path),
        max_number_of_steps=2,
    )
    values = weights(tmp_path)
    assert np.abs(values["MobilenetV1/Conv2d_0/BatchNorm/moving_mean"]).max() > 0
    assert values["MobilenetV1/Conv2d_0/weights"].shape == (3, 3, 3, 8)


def test_a_pretrained_network_gets_a_new_last_layer(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with tf.Graph().as_default(), tf.Session() as session:
        mox.get_model_fn("lenet", "TRAIN", 10)(tf.zeros([1, 28, 28, 1]))
        session.run(tf.global_variables_initializer())
        saved = tf.train.Saver().save(session, str(source / "lenet.ckpt"))
    mox.set_flag("checkpoint_exclude_patterns", f"{mox.get_model_meta('lenet').default_logits_pattern},global_step")
    mox.run(
        **program("lenet", channels=1),
        optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.0),
        run_mode=mox.ModeKeys.TRAIN,
        log_dir=str(target),
        checkpoint_path=saved,
        max_number_of_steps=1,
    )
    before, after = weights(source), weights(target)
    np.testing.assert_array_equal(after["LeNet/fc3/weights"], before["LeNet/fc3/weights"])
    assert after["LeNet/fc4/weights"].shape == (1024, 4)
