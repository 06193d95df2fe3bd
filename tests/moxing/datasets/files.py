"""Small images and records: every image has one colour, which tells its number."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

SIZE = (6, 8)


def pixels(number: int, *, size: Sequence[int] = SIZE) -> Any:
    return np.full([*size, 3], number, np.uint8)


def encoded(number: int, kind: str = "png", *, size: Sequence[int] = SIZE) -> bytes:
    encode = tf2.io.encode_png if kind == "png" else tf2.io.encode_jpeg
    return encode(pixels(number, size=size)).numpy()


def bitmap(number: int) -> bytes:
    """A BMP file of 2 x 2 pixels."""
    rows = bytes([number] * 6 + [0, 0]) * 2
    head = b"BM" + (54 + len(rows)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    info = [(40, 4), (2, 4), (2, 4), (1, 2), (24, 2), (0, 4), (len(rows), 4), (0, 4), (0, 4), (0, 4), (0, 4)]
    return head + b"".join(value.to_bytes(size, "little") for value, size in info) + rows


def gif(number: int) -> bytes:
    """A GIF file of one pixel; its palette is black and this colour."""
    palette = bytes([0, 0, 0, number, number, number])
    frame = b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02L\x01\x00"
    return b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + palette + frame + b";"


def flowers(folder: Path, counts: Mapping[str, int], *, size: Sequence[int] = SIZE) -> Path:
    """`folder/<label>/<label>_<number>.png`; the first image's number is 0, and so on through all labels."""
    number = 0
    for label, count in counts.items():
        (folder / label).mkdir(parents=True)
        for of_label in range(count):
            (folder / label / f"{label}_{of_label}.png").write_bytes(encoded(number, size=size))
            number += 1
    return folder


def write_records(path: Path, examples: Sequence[Mapping[str, Any]]) -> Path:
    """Values are bytes, whole numbers, or lists of floats."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tf2.io.TFRecordWriter(str(path)) as writer:
        for example in examples:
            features = {key: _feature(value) for key, value in example.items()}
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return path


def _feature(value: Any) -> Any:
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    if isinstance(value, int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
    return tf.train.Feature(float_list=tf.train.FloatList(value=value))


def image_records(path: Path, numbers: Sequence[int], *, classes: int = 2, **more: Any) -> Path:
    """Records as TF-Slim writes them."""
    return write_records(
        path,
        [
            {"image/encoded": encoded(number), "image/format": b"png", "image/class/label": number % classes, **more}
            for number in numbers
        ],
    )


def values(make: Any, items: Sequence[str], *, steps: int | None = None) -> list[Any]:
    """What a dataset gives, step by step, until it ends or `steps` are over.

    Args:
        make: makes the dataset, in a graph of its own.
    """
    found: list[Any] = []
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        tensors = make().get(items)
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            try:
                while steps is None or len(found) < steps:
                    found.append(session.run(tensors))
            except tf.errors.OutOfRangeError:
                assert steps is None, f"ended after {len(found)} steps"
    return found


def mean_model(inputs: Any, mode: str, **_: Any) -> Any:
    """A layer on the mean colour of the images; also gives the colours and the labels."""
    images, labels = inputs[:2]
    colours = tf.reduce_mean(tf.cast(images, tf.float32), axis=[1, 2, 3])
    weight = tf.get_variable("weight", [1, 2], initializer=tf.zeros_initializer())
    logits = tf.expand_dims(colours, 1) @ weight
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return mox.ModelSpec(
        loss=loss, log_info={"loss": loss, "colour": tf.reduce_mean(colours)}, output_info={"colours": colours}
    )
