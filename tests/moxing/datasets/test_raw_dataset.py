"""What image files become."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.datasets import local_copy
from moxing.tensorflow.datasets.failures import WrongArgument
from tests.moxing.datasets.files import bitmap, encoded, flowers, gif, values

ALL = ["image", "label", "label_desc", "image_name"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return flowers(tmp_path / "data", {"daisy": 3, "rose": 4})


def dataset(folder: Path, **arguments: Any) -> Any:
    usual = {"num_epochs": 1, "shuffle": False}
    metadata = mox.ImageClassificationRawMetadata(folder)
    return lambda: mox.ImageClassificationRawDataset(metadata, **{**usual, **arguments})


def numbers(found: list[Any]) -> list[int]:
    return [int(one.flat[0]) for one, *_ in found]


def test_single_samples_in_order(folder: Path) -> None:
    found = values(dataset(folder), ALL)
    assert numbers(found) == list(range(7))
    assert [int(label) for _, label, *_ in found] == [0, 0, 0, 1, 1, 1, 1]
    assert found[4][2:] == [b"rose", b"rose_1.png"]
    assert found[4][0].shape == (6, 8, 3) and found[4][0].dtype == np.uint8
    assert found[4][1].dtype == np.int64


def test_every_pass_has_every_sample_in_another_order(folder: Path) -> None:
    found = numbers(values(dataset(folder, shuffle=True, num_epochs=3, shuffle_buffer_size=1), ["image"]))
    passes = [found[:7], found[7:14], found[14:]]
    assert [sorted(one) for one in passes] == [list(range(7))] * 3
    assert len({tuple(one) for one in passes}) == 3


def test_without_num_epochs_there_is_no_end(folder: Path) -> None:
    assert numbers(values(dataset(folder, num_epochs=None), ["image"], steps=16)) == [*range(7), *range(7), 0, 1]


def test_all_kinds_of_images(tmp_path: Path) -> None:
    kinds = {"a.jpg": encoded(200, "jpeg"), "b.png": encoded(100), "c.gif": gif(50), "d.bmp": bitmap(25)}
    (tmp_path / "x").mkdir()
    for name, data in kinds.items():
        (tmp_path / "x" / name).write_bytes(data)
    found = values(dataset(tmp_path), ["image", "image_name"])
    assert [(int(image.max()), name) for image, name in found] == [
        (200, b"a.jpg"),
        (100, b"b.png"),
        (50, b"c.gif"),
        (25, b"d.bmp"),
    ]
    assert all(image.ndim == 3 and image.shape[-1] == 3 for image, _ in found)


def test_batches_of_one_size(folder: Path) -> None:
    (folder / "rose" / "rose_3.png").write_bytes(encoded(6, size=(20, 3)))
    found = values(dataset(folder, batch_size=3, image_size=(4, 5)), ["image", "label"])
    assert [image.shape for image, _ in found] == [(3, 4, 5, 3), (3, 4, 5, 3), (1, 4, 5, 3)]
    assert [label.tolist() for _, label in found] == [[0, 0, 0], [1, 1, 1], [1]]
    assert len(values(dataset(folder, batch_size=3, image_size=4, drop_remainder=True), ["label"])) == 2


def test_endless_batches_have_a_known_size(folder: Path) -> None:
    with tf.Graph().as_default():
        image, label = dataset(folder, batch_size=3, image_size=4, num_epochs=None)().get(["image", "label"])
        assert image.shape.as_list() == [3, 4, 4, 3] and label.shape.as_list() == [3]


def test_a_preprocess_fn_gets_whole_batches(folder: Path) -> None:
    def decode(data: Any) -> Any:
        image = tf.image.decode_image(data, channels=3)
        image.set_shape([None, None, 3])
        return tf.image.resize_images(image, [4, 4])

    def preprocess_fn(image_name: Any, image_buf: Any, label: Any, label_desc: Any) -> Any:
        assert image_buf.shape.rank == 1
        image = tf.map_fn(decode, image_buf, dtype=tf.float32, back_prop=False)
        return image_name, image, label + 10, label_desc

    found = values(dataset(folder, batch_size=4, preprocess_fn=preprocess_fn), ALL)
    assert [image.shape for image, *_ in found] == [(4, 4, 4, 3), (3, 4, 4, 3)]
    assert found[1][1].tolist() == [11, 11, 11] and found[1][2].tolist() == [b"rose"] * 3
    augmented = dataset(folder, batch_size=4, preprocess_fn=preprocess_fn, augmentation_fn=lambda image: image[:2] + 1)
    assert [image.shape for image, *_ in values(augmented, ALL)] == [(4, 2, 4, 3), (3, 2, 4, 3)]


def test_a_preprocess_fn_gets_single_samples(folder: Path) -> None:
    def preprocess_fn(image_name: Any, image_buf: Any, label: Any, label_desc: Any) -> Any:
        return image_name, tf.strings.length(image_buf), label, label_desc

    sizes = [path.stat().st_size for path in sorted(folder.glob("*/*.png"))]
    assert numbers(values(dataset(folder, preprocess_fn=preprocess_fn), ["image"])) == sizes
    with pytest.raises(WrongArgument, match="preprocess_fn must return image_name, image, label, label_desc"):
        values(dataset(folder, preprocess_fn=lambda *four: four[:2]), ["image"])


def test_an_augmentation_fn_gets_single_images(folder: Path) -> None:
    def augmentation_fn(image: Any) -> Any:
        assert image.shape.as_list() == [None, None, 3]
        return tf.image.resize_with_crop_or_pad(image, 2, 2) + 1

    found = values(dataset(folder, batch_size=7, augmentation_fn=augmentation_fn, label_one_hot=True), ALL)
    assert found[0][0][:, 0, 0, 0].tolist() == list(range(1, 8))
    assert found[0][1].tolist() == [[1, 0]] * 3 + [[0, 1]] * 4


def test_a_function_may_use_a_table(folder: Path) -> None:
    def augmentation_fn(image: Any) -> Any:
        return image + tf.cast(table.lookup(tf.constant(1, tf.int64)), tf.uint8)

    with tf.Graph().as_default(), tf.Session() as session:
        keys = tf.constant([1], tf.int64)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 9), 0)
        image = dataset(folder, augmentation_fn=augmentation_fn)().get(["image"])[0]
        session.run(tf.tables_initializer())
        assert session.run(image).flat[0] == 9


def test_items_of_one_graph_belong_together(folder: Path) -> None:
    made = dataset(folder, shuffle=True)()
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            image, name = made.get("image")[0], made.get(["image_name"])[0]
            for _ in range(7):
                pixels, text = session.run([image, name])
                label, number = text.decode().removesuffix(".png").split("_")
                assert pixels.flat[0] == int(number) + 3 * (label == "rose")


def test_threads_and_buffers_can_be_chosen(folder: Path) -> None:
    small = dataset(folder, num_readers=1, preprocess_threads=1, capacity=1, private_num_threads=1)
    assert numbers(values(small, ["image"])) == list(range(7))


def test_files_are_read_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    for path in folder.glob("*/*.png"):
        (there / path.parent.name).mkdir(parents=True, exist_ok=True)
        path.rename(there / path.parent.name / path.name)
        path.write_bytes(b"")
    metadata = mox.ImageClassificationRawMetadata(folder, redirect_dir=there)
    found = values(lambda: mox.ImageClassificationRawDataset(metadata, shuffle=False, num_epochs=1), ["image"])
    assert numbers(found) == list(range(7))


def test_copies_are_read_and_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLS_LOCAL_CACHE_PATH", str(tmp_path / "cache"))
    made = dataset(folder, cache_dir="ENV", remove_cache_on_finish=False)
    assert numbers(values(made, ["image"])) == list(range(7))
    copies = list((tmp_path / "cache").glob("mox_*/rose/rose_0.png"))
    assert len(copies) == 1
    copies[0].write_bytes(encoded(77))  # as long as the original, and newer: it is what is read
    assert numbers(values(made, ["image"])) == [0, 1, 2, 77, 4, 5, 6]
    monkeypatch.delenv("DLS_LOCAL_CACHE_PATH")
    with pytest.raises(WrongArgument, match=r"\$DLS_LOCAL_CACHE_PATH is not set"):
        values(dataset(folder, cache_dir="ENV"), ["image"])


def test_copies_are_deleted_at_the_end(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_exit: list[Any] = []
    monkeypatch.setattr(local_copy.atexit, "register", lambda *call: at_exit.append(call))
    values(dataset(folder, cache_dir=str(tmp_path / "cache")), ["image"])
    assert len(list((tmp_path / "cache").glob("*/*/*.png"))) == 7
    for function, *arguments in at_exit:
        function(*arguments)
    assert not list((tmp_path / "cache").iterdir())


def test_wrong_arguments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in [
        ({"batch_size": 2}, "batch_size needs image_size, preprocess_fn or augmentation_fn"),
        ({"batch_size": 0, "image_size": 4}, "batch_size must be a whole number from 1 on, not 0"),
        ({"image_size": (1, 2, 3)}, "image_size must be a number or"),
        ({"num_epochs": 0}, "num_epochs must be"),
        ({"capacity": "many"}, "capacity must be a whole number, not 'many'"),
        ({"preprocess_fn": 3}, "preprocess_fn must be a function"),
    ]:
        with pytest.raises(ValueError, match=message):
            dataset(folder, **arguments)()
    with pytest.raises(WrongArgument, match=r"metadata must be a mox.ImageClassificationRawMetadata"):
        mox.ImageClassificationRawDataset(str(folder))  # pyright: ignore
    with pytest.raises(WrongArgument, match="metadata is missing"):
        mox.ImageClassificationRawDataset()
    with pytest.raises(WrongArgument, match="there is no item 'images'") as raised:
        values(dataset(folder), ["images"])
    assert raised.value.hint == "items: image, label, label_desc, image_name"
    with pytest.raises(WrongArgument, match="there is none here"):
        dataset(folder)().get(["image"])
    capsys.readouterr()
    dataset(folder, reader_class=mox.AsyncRawGenerator, reader_kwargs={"num_processes": 64})()
    assert "WARNING:tensorflow:`reader_class` and `reader_kwargs` have no effect" in capsys.readouterr().err
    dataset(folder, reader_class=mox.ParallelReader)()
    assert "WARNING" not in capsys.readouterr().err
