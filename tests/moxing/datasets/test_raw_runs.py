"""Runs that read image files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongData
from tests.moxing.datasets.files import encoded, flowers, mean_model
from tests.moxing.executor.models import steps


def reading(folder: Path, **arguments: Any) -> Any:
    """Samples that are resized in `input_fn`, as the documents do it."""
    metadata = mox.ImageClassificationRawMetadata(base_dir=folder)

    def input_fn(mode: str, **_: Any) -> Any:
        image, label = mox.ImageClassificationRawDataset(metadata, **arguments).get(["image", "label"])
        image = tf.expand_dims(image, 0)
        image = tf.image.resize_bilinear(image, [4, 4])
        image = tf.squeeze(image)
        image.set_shape([4, 4, 3])
        return image, label

    return input_fn


def train(input_fn: Any, **arguments: Any) -> None:
    usual: dict[str, Any] = {
        "model_fn": mean_model,
        "optimizer_fn": mox.get_optimizer_fn("sgd", learning_rate=0.01),
        "run_mode": mox.ModeKeys.TRAIN,
        "batch_size": 2,
        "log_every_n_steps": 1,
    }
    mox.run(input_fn=input_fn, **{**usual, **arguments})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return flowers(tmp_path / "data", {"daisy": 4, "rose": 5})


def test_num_epochs_ends_the_run(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(reading(folder, num_epochs=2), log_dir=str(tmp_path / "log"), log_every_n_steps=3)
    assert steps(capsys.readouterr().err) == [0, 3, 6]
    assert tf.train.latest_checkpoint(tmp_path / "log").endswith("model.ckpt-9")
    mox.run(
        input_fn=reading(folder, num_epochs=1, shuffle=False),
        model_fn=mean_model,
        run_mode=mox.ModeKeys.EVAL,
        batch_size=4,
        checkpoint_path=str(tmp_path / "log"),
    )
    assert "\tcolour: 4.0\t[9 examples]" in capsys.readouterr().err


def test_without_end_many_steps_are_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mox.set_flag("num_gpus", 2)
    train(reading(folder), max_number_of_steps=60, log_every_n_steps=20)
    assert steps(capsys.readouterr().err) == [0, 20, 40]


def test_the_validation_data_start_anew(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = flowers(tmp_path / "eval", {"daisy": 1, "rose": 3})
    metadata = {"TRAIN": mox.ImageClassificationRawMetadata(folder), "EVAL": mox.ImageClassificationRawMetadata(other)}

    def input_fn(mode: str, **_: Any) -> Any:
        epochs = None if mode == mox.ModeKeys.TRAIN else 1
        dataset = mox.ImageClassificationRawDataset(metadata[mode], batch_size=2, image_size=4, num_epochs=epochs)
        return dataset.get(["image", "label"])

    def model_fn(inputs: Any, mode: str, **_: Any) -> Any:
        spec = mean_model(inputs, mode)
        spec.hooks = [
            mox.LogEvaluationMetricHook(
                monitor_info={"colour": spec.log_info["colour"]},
                batch_size=2,
                samples_in_train=4,
                samples_in_eval=4,
                evaluate_every_n_epochs=1,
                prefix="[EVAL]",
            )
        ]
        return spec

    train(input_fn, model_fn=model_fn, auto_batch=False, inter_mode=mox.ModeKeys.EVAL, max_number_of_steps=6)
    shown = [line for line in capsys.readouterr().err.splitlines() if "[EVAL]" in line]
    assert shown == [f"INFO:tensorflow:[EVAL] step: {step} colour: 1.500" for step in (1, 3, 5)]


def test_names_reach_the_output(folder: Path, tmp_path: Path) -> None:
    train(reading(folder), log_dir=str(tmp_path / "log"), max_number_of_steps=1)
    metadata, printed = mox.ImageClassificationRawMetadata(folder), []

    def input_fn(mode: str) -> Any:
        dataset = mox.ImageClassificationRawDataset(metadata, num_epochs=1, shuffle=False, image_size=4)
        image, label, image_name = dataset.get(["image", "label", "image_name"])
        letters = tf.py_func(lambda text: np.array(list(text)), inp=[image_name], Tout=tf.int64)
        letters.set_shape([None])
        return image, label, letters

    def model_fn(inputs: Any, mode: str) -> Any:
        spec = mean_model(inputs, mode)
        spec.output_info["names"] = inputs[2]
        return spec

    def output_fn(outputs: Any) -> None:
        for letters, colour in zip(outputs[0]["names"], outputs[0]["colours"], strict=True):
            printed.append(("".join(chr(one) for one in letters if one > 0), float(colour)))

    mox.run(
        input_fn=input_fn,
        model_fn=model_fn,
        output_fn=output_fn,
        output_every_n_steps=1,
        batch_size=4,
        run_mode=mox.ModeKeys.PREDICT,
        checkpoint_path=str(tmp_path / "log"),
    )
    assert printed[0] == ("daisy_0.png", 0.0) and printed[-1] == ("rose_4.png", 8.0) and len(printed) == 9


@pytest.mark.parametrize("data", [b"no image", encoded(1, "jpeg")[:200], b""])
def test_a_damaged_image_is_named(folder: Path, data: bytes) -> None:
    (folder / "rose" / "bad.jpg").write_bytes(data)
    with pytest.raises(
        WrongData, match=r"data/rose/bad.jpg cannot be decoded: it is no JPEG, PNG, GIF or BMP"
    ) as raised:
        train(reading(folder, num_epochs=1))
    assert raised.value.hint == "repair it or remove it from the dataset"


def test_a_lost_image_is_named(folder: Path) -> None:
    input_fn = reading(folder, num_epochs=1)
    (folder / "rose" / "rose_1.png").unlink()
    with pytest.raises(WrongData, match=r"^/\S+data/rose/rose_1.png: no such file"):
        train(input_fn)


def test_images_of_several_sizes_make_no_batch(folder: Path) -> None:
    (folder / "rose" / "large.png").write_bytes(encoded(9, size=(30, 30)))
    metadata = mox.ImageClassificationRawMetadata(folder)

    def input_fn(mode: str) -> Any:
        dataset = mox.ImageClassificationRawDataset(metadata, batch_size=10, augmentation_fn=tf.identity)
        return dataset.get(["image", "label"])

    with pytest.raises(WrongData, match=r"Cannot (batch|add).*[Ss]hape") as raised:
        train(input_fn, batch_size=10, auto_batch=False)
    assert raised.value.hint and "image_size" in raised.value.hint
