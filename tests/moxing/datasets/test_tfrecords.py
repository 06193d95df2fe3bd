"""What records become, in all the ways to describe them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tf_slim import tfexample_decoder

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongArgument, WrongData
from tests.moxing.datasets.files import encoded, image_records, values, write_records

ROWS = [{"x": [float(number), 0.5], "y": number} for number in range(6)]
KEYS = ["x", "y"]
FEATURES = [tf.io.FixedLenFeature([2], tf.float32), tf.io.FixedLenFeature([], tf.int64)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_records(tmp_path / "data_train_0.tfrecord", ROWS[:4])
    write_records(tmp_path / "data_train_1.tfrecord", ROWS[4:])
    write_records(tmp_path / "data_eval_0.tfrecord", ROWS[:1])
    return tmp_path


def train_files(folder: Path, **arguments: Any) -> Any:
    return mox.BaseTFRecordMetadata(folder, "*train*.tfrecord", **arguments)


def labels(found: list[Any]) -> list[int]:
    return [int(one[0]) for one in found]


def test_records_are_counted_when_somebody_asks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metadata = train_files(folder)
    assert metadata.file_names == ["data_train_0.tfrecord", "data_train_1.tfrecord"]
    assert not capsys.readouterr().err
    assert (metadata.num_samples, metadata.total_num_samples) == (6, 6)
    assert capsys.readouterr().err.count("Automatically extracting num_samples from tfrecord.") == 1
    assert train_files(folder, num_samples=1000).num_samples == 1000
    both = mox.BaseTFRecordMetadata(folder, file_patterns=["*eval*", "*_1.tfrecord"])
    assert both.num_samples == 3


def test_files_that_are_not_there_or_damaged(folder: Path) -> None:
    with pytest.raises(WrongData, match=r"no file in .* matches '\*.records'") as raised:
        mox.BaseTFRecordMetadata(folder, "*.records")
    assert raised.value.hint and "data_eval_0.tfrecord" in raised.value.hint
    with pytest.raises(WrongData, match="does not exist"):
        mox.BaseTFRecordMetadata(folder / "nowhere", "*")
    with pytest.raises(WrongArgument, match="file_pattern is missing"):
        mox.BaseTFRecordMetadata(folder)
    path = folder / "data_train_1.tfrecord"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(WrongData, match=r"data_train_1.tfrecord: record 1 is cut off"):
        _ = train_files(folder).num_samples
    path.write_text("a text\n")
    with pytest.raises(WrongData, match=r"data_train_1.tfrecord: record 0 is cut off"):
        _ = train_files(folder).num_samples


def test_keys_are_items(folder: Path) -> None:
    def make(**arguments: Any) -> Any:
        return lambda: mox.BaseTFRecordDataset(
            train_files(folder), feature_keys=KEYS, feature_values=FEATURES, **arguments
        )

    found = values(make(shuffle=False, num_epochs=1), ["y", "x"])
    assert labels(found) == [0, 1, 2, 3, 4, 5] and found[5][1].tolist() == [5.0, 0.5]
    mixed = labels(values(make(num_epochs=2), ["y"]))
    assert sorted(mixed[:6]) == sorted(mixed[6:]) == [0, 1, 2, 3, 4, 5] and mixed != sorted(mixed)
    batches = values(make(shuffle=False, num_epochs=1, batch_size=4), ["y"])
    assert [batch[0].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5]]
    assert len(values(make(num_parallel=1), ["y"], steps=20)) == 20


def test_a_subclass_builds_its_features(folder: Path) -> None:
    class Doubled(mox.BaseTFRecordDataset):
        def _build_features(self, x: Any, y: Any) -> None:  # pyright: ignore
            self._add_feature("twice", y * 2)
            self._add_feature("sum", tf.reduce_sum(x))

    found = values(
        lambda: Doubled(train_files(folder), feature_keys=KEYS, feature_values=FEATURES, shuffle=False, num_epochs=1),
        ["twice", "sum"],
    )
    assert found[3] == [6, 3.5]


def test_a_subclass_parses_by_itself(folder: Path) -> None:
    class Parsed(mox.BaseTFRecordDataset):
        def _parser(self, record: Any) -> Any:
            parsed = tf.io.parse_single_example(record, dict(zip(KEYS, FEATURES, strict=True)))
            return parsed["y"], parsed["x"]

        def _build_feature(self, y: Any, x: Any) -> None:
            self._add_feature("label", y)

    assert labels(values(lambda: Parsed(train_files(folder), shuffle=False, num_epochs=1), ["label"])) == [*range(6)]


def test_handlers_of_slim(tmp_path: Path) -> None:
    image_records(tmp_path / "a.tfrecord", [3, 4])
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/class/label": tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
        "none": tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
    }
    items_to_handlers = {
        "image": tfexample_decoder.Image(shape=[6, 8, 3], channels=3),
        "label": tfexample_decoder.Tensor("image/class/label", shape=[]),
        "none": tfexample_decoder.Tensor("none"),
    }

    def make() -> Any:
        return mox.get_tfrecord(
            dataset_dir=tmp_path,
            file_pattern="*.tfrecord",
            keys_to_features=keys_to_features,
            items_to_handlers=items_to_handlers,
            num_epochs=1,
            shuffle=False,
        )

    found = values(make, ["image", "label", "none"])
    assert [(image.shape, image.max(), label, none.tolist()) for image, label, none in found] == [
        ((6, 8, 3), 3, 1, [0]),
        ((6, 8, 3), 4, 0, [0]),
    ]
    assert make().num_samples == 2
    with pytest.raises(WrongArgument, match="there is no item 'x'"):
        values(make, ["x"])
    with pytest.raises(WrongArgument, match="needs keys_to_features and items_to_handlers"):
        mox.get_tfrecord(tmp_path, "*.tfrecord", keys_to_features)


def test_images_with_labels(tmp_path: Path) -> None:
    image_records(tmp_path / "train_0.tfrecord", [0, 1, 2], classes=3, weight=[0.5], **{"image/filename": b"p.png"})
    (tmp_path / "labels.txt").write_text("0:daisy\n1:rose\n2:tulip\n")
    metadata = mox.ImageClassificationTFRecordMetadata(tmp_path, file_patterns="train*")
    assert metadata.labels_to_names == {0: "daisy", 1: "rose", 2: "tulip"} and metadata.num_classes == 3

    def make(**arguments: Any) -> Any:
        usual = {"num_epochs": 1, "shuffle": False}
        return lambda: mox.ImageClassificationTFRecordDataset(meta=metadata, **{**usual, **arguments})

    found = values(make(), ["image", "label", "label_desc", "image_name"])
    assert [(image.max(), label, *names) for image, label, *names in found] == [
        (0, 0, b"daisy", b"p.png"),
        (1, 1, b"rose", b"p.png"),
        (2, 2, b"tulip", b"p.png"),
    ]
    image, label, weight = values(
        make(
            batch_size=3,
            image_size=5,
            label_one_hot=True,
            custom_feature_keys=["weight"],
            custom_feature_values=[tf.io.FixedLenFeature([], tf.float32)],
        ),
        ["image", "label", "weight"],
    )[0]
    assert image.shape == (3, 5, 5, 3) and np.array_equal(label, np.eye(3)) and weight.tolist() == [0.5] * 3
    brighter = make(batch_size=2, augmentation_fn=lambda image: image + 100)
    assert [batch[0].shape for batch in values(brighter, ["image"])] == [(2, 6, 8, 3), (1, 6, 8, 3)]
    sizes = make(preprocess_fn=lambda name, data, *rest: (name, tf.strings.length(data), *rest))
    assert labels(values(sizes, ["image"])) == [len(encoded(number)) for number in range(3)]
    handled = make(
        keys_to_features={"image/class/label": tf.FixedLenFeature([], tf.int64)},
        items_to_handlers={"y": tfexample_decoder.Tensor("image/class/label")},
        num_readers=2,
    )
    assert labels(values(handled, ["y"])) == [0, 1, 2]


def test_names_that_the_records_have(tmp_path: Path) -> None:
    image_records(tmp_path / "a.tfrecord", [4], classes=9, **{"image/class/text": b"oak"})
    (tmp_path / "labels.txt").write_text("0: daisy\n")
    metadata = mox.ImageClassificationTFRecordMetadata(tmp_path, "a*", num_classes=9)
    make = mox.ImageClassificationTFRecordDataset
    assert values(lambda: make(metadata, num_epochs=1), ["label_desc"]) == [[b"oak"]]


def test_wrong_arguments(folder: Path) -> None:
    make = mox.BaseTFRecordDataset
    with pytest.raises(WrongArgument, match="feature_keys has 2 entries and feature_values 0"):
        make(train_files(folder), feature_keys=KEYS)
    with pytest.raises(WrongArgument, match="items_to_handlers is missing"):
        make(train_files(folder), {"x": FEATURES[0]})
    with pytest.raises(WrongArgument, match="does not say what is in a record"):
        values(lambda: make(train_files(folder)), ["x"])
    with pytest.raises(WrongArgument, match="metadata must be a BaseTFRecordMetadata"):
        make(str(folder))  # pyright: ignore
    images = mox.ImageClassificationTFRecordMetadata(folder, "*train*")
    with pytest.raises(WrongArgument, match="batch_size needs image_size"):
        mox.ImageClassificationTFRecordDataset(images, batch_size=3)
    with pytest.raises(WrongArgument, match="label_one_hot needs the number of labels"):
        mox.ImageClassificationTFRecordDataset(images, label_one_hot=True)
    (folder / "labels.txt").write_text("0: a\n5: b")
    with pytest.raises(WrongArgument, match=r"num_classes is 3, and .* numbers labels up to 5"):
        mox.ImageClassificationTFRecordMetadata(folder, "*train*", num_classes=3)


def test_where_scripts_import_from() -> None:
    from moxing.tensorflow.datasets import tfrecord_common as older
    from moxing.tensorflow.datasets.tfrecord import tfrecord_common as newer

    for name in newer.__all__:
        assert getattr(older, name) is getattr(newer, name) is getattr(mox, name)


def test_images_that_grow_within_a_training_are_another_way_told() -> None:
    from moxing.tensorflow.datasets.tfrecord_image import ProgressiveImagenetDataset

    with pytest.raises(ValueError, match=r"one size\n  hint: call mox.run once for each size, with the same log_dir"):
        ProgressiveImagenetDataset(num_samples=8, strategy_spec=[("train-*", 8, 32, 0.3)], ds_switch_steps=[])
