"""Runs that read records."""

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongData
from tests.moxing.datasets.files import image_records, mean_model, write_records
from tests.moxing.executor.models import steps


def train(folder: Path, **arguments: Any) -> None:
    def input_fn(mode: str, **_: Any) -> Any:
        metadata = mox.ImageClassificationTFRecordMetadata(folder, "*.tfrecord")
        dataset = mox.ImageClassificationTFRecordDataset(metadata, image_size=4, num_epochs=2)
        return dataset.get(["image", "label"])

    usual = {"batch_size": 2, "log_every_n_steps": 2, "run_mode": mox.ModeKeys.TRAIN, "input_fn": input_fn}
    usual |= {"model_fn": mean_model, "optimizer_fn": mox.get_optimizer_fn("sgd", learning_rate=0.01)}
    mox.run(**{**usual, **arguments})


def test_records_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image_records(tmp_path / "a.tfrecord", range(3))
    image_records(tmp_path / "b.tfrecord", range(2))
    train(tmp_path)
    assert steps(capsys.readouterr().err) == [0, 2, 4]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    image_records(tmp_path / "a.tfrecord", range(3))
    damaged = image_records(tmp_path / "b.tfrecord", range(3))
    damaged.write_bytes(damaged.read_bytes()[:-30])
    with pytest.raises(WrongData, match=r"b.tfrecord: record 2 is damaged or cut off") as raised:
        train(tmp_path)
    assert raised.value.hint and "copy the file again" in raised.value.hint


def test_a_missing_key_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    write_records(tmp_path / "a.tfrecord", [{"x": [1.0], "label": 1}] * 2)
    with pytest.raises(WrongData, match=r"a record does not fit: .*image/") as raised:
        train(tmp_path)
    assert raised.value.hint == f"the first record of {tmp_path}/a.tfrecord has these keys: label, x"


def test_a_damaged_image_is_told(tmp_path: Path) -> None:
    image = {"image/encoded": b"no image", "image/class/label": 1, "image/filename": b"rose.jpg"}
    write_records(tmp_path / "a.tfrecord", [image])
    with pytest.raises(WrongData, match=r"an image in the record files of .* \(rose.jpg\) cannot be decoded"):
        train(tmp_path)


def test_mistakes_that_are_not_of_the_data_stay_as_they_are(tmp_path: Path) -> None:
    image_records(tmp_path / "a.tfrecord", range(3))

    def model_fn(inputs: Any, mode: str) -> Any:
        return mox.ModelSpec(loss=tf.get_variable("x", []) * tf.cast(tf.gather(inputs[1], 99), tf.float32))

    with pytest.raises(tf.errors.InvalidArgumentError, match="99"):
        train(tmp_path, model_fn=model_fn)


@pytest.mark.parametrize("name", ["mnist", "cifar10", "flowers", "imagenet"])
def test_datasets_with_a_name(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "mnist": "mnist_train.tfrecord",
        "cifar10": "cifar10_train.tfrecord",
        "flowers": "flowers_train_00000-of-00005.tfrecord",
        "imagenet": "train-00000-of-01024",
    }
    sizes = {"mnist": (28, 28, 1), "cifar10": (32, 32, 3), "flowers": (5, 4, 3), "imagenet": (5, 4, 3)}
    data = tf.io.encode_png(tf.zeros(sizes[name], tf.uint8)).numpy()
    image = {"image/encoded": data, "image/format": b"png", "image/class/label": 1}
    write_records(tmp_path / files[name], [image] * 3)
    meta = mox.get_dataset_meta(name)
    split_name, split_name_eval = meta.splits_to_sizes.keys()
    shapes: list[Any] = []

    def input_fn(mode: str, **_: Any) -> Any:
        dataset = mox.get_dataset(name=name, split_name=split_name, dataset_dir=f"{tmp_path}/", capacity=4000)
        picture, label = dataset.get(["image", "label"])
        assert dataset.num_samples == meta.splits_to_sizes["train"]
        shapes.append(picture.shape.as_list())
        picture.set_shape(sizes[name])
        return picture, label

    train(tmp_path, input_fn=input_fn, max_number_of_steps=2)
    assert steps(capsys.readouterr().err) == [0]
    assert shapes == [list(sizes[name]) if name in ("mnist", "cifar10") else [None, None, 3]]
    with pytest.raises(WrongData, match=r"no file in .* matches"):
        mox.get_dataset(name, split_name_eval, tmp_path)


def test_names_that_are_unknown(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no dataset 'coco'"):
        mox.get_dataset_meta("coco")
    with pytest.raises(ValueError, match="mnist has no split 'validation'"):
        mox.get_dataset("mnist", "validation", tmp_path)
    assert mox.get_dataset_meta("imagenet").num_classes == 1001
