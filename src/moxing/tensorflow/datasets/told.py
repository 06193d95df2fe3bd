"""What TensorFlow says about the data of a run, as a message for a person."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import WrongData

_BEGIN, _END = "mox-data-error:", ":end"
_OWN = re.compile(rf"\[{_BEGIN}\] \[(.*?)\] \[(.*?)\] \[{_END}\]", re.DOTALL)
_MISSING_FILE = re.compile(r"(?:^|\s)(/?\S[^\n]*?); No such file or directory", re.MULTILINE)
_SHAPES = re.compile(r"Cannot (?:batch tensors|add tensor to the batch)[^\n]*")
_EXAMPLE = re.compile(r"(?:Feature|Key|Name): [^\n]*|Could not parse example[^\n]*|Can't parse serialized[^\n]*")
_IMAGE = re.compile(r"[^\n.:]*(?:Uncompress failed|Unknown image file format|Invalid (?:PNG|GIF|BMP|JPEG))[^\n]*")
_RECORD_FILES = "mox_record_files"


def check(condition: Any, text: Any, *, hint: str) -> Any:
    """An operation that ends the run with this message, unless the condition is true.

    Args:
        text: a string, or a tensor.
    """
    return tf.Assert(condition, [_BEGIN, text, hint, _END], summarize=4)


def remember_record_files(files: Sequence[str]) -> None:
    """Says which record files this graph reads, so that a damaged one can be named."""
    tf.add_to_collection(_RECORD_FILES, tuple(files))


@contextmanager
def data_errors_told() -> Iterator[None]:
    """Raises `WrongData` instead of what TensorFlow raises about the data of the default graph."""
    try:
        yield
    except tf.errors.OpError as error:
        told = _told(error)
        if told is None:
            raise
        raise told from None


def _told(error: Any) -> WrongData | None:
    text = str(error.message)
    if own := _OWN.search(text):
        return WrongData(own.group(1), hint=own.group(2))
    if isinstance(error, tf.errors.DataLossError):
        return _damaged_records() if " record at " in text else None
    if isinstance(error, tf.errors.NotFoundError) and "ReadFile" in text and (file := _MISSING_FILE.search(text)):
        return WrongData(
            f"{file.group(1).split(': ')[-1]}: no such file",
            hint="is the path right? if it has been removed since the run began, restore it, or start again without it",
        )
    if not isinstance(error, tf.errors.InvalidArgumentError):
        return None
    if shapes := _SHAPES.search(text):
        return WrongData(
            shapes.group(0).rstrip("."),
            hint="samples of a batch need the same shape: give image_size, or let augmentation_fn, preprocess_fn or"
            " input_fn bring all images to one size",
        )
    files = _record_files()
    if files and (example := _EXAMPLE.search(text)):
        return WrongData(f"a record does not fit: {example.group(0)}", hint=_keys_hint(files[0]))
    if files and (image := _IMAGE.search(text)):
        return WrongData(
            f"an image in the record files cannot be decoded: {image.group(0).strip()}",
            hint="it must be a whole JPEG, PNG, GIF or BMP image; write the record files anew",
        )
    return None


def _record_files() -> list[str]:
    return [file for files in tf.get_collection(_RECORD_FILES) for file in files]


def _damaged_records() -> WrongData | None:
    for file in _record_files():
        number = 0
        try:
            for _ in tf.io.tf_record_iterator(file):
                number += 1
        except tf.errors.OpError as error:
            return WrongData(
                f"{file}: record {number} is damaged or cut off: {error.message}",
                hint="copy the file again, or write it anew; is it a TFRecord file?",
            )
    return None


def _keys_hint(file: str) -> str:
    try:
        record = next(iter(tf.io.tf_record_iterator(file)))
        keys = sorted(tf.train.Example.FromString(record).features.feature)
    except Exception:
        return f"records must be serialized tf.train.Example messages; look at {file}"
    return f"the first record of {file} has these keys: {', '.join(keys) or 'none'}"
