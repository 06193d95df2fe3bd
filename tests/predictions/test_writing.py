"""Writing in the background: in order, with little in memory, and failures are heard of."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from runyard.errors import StorageError
from runyard.predictions.forward import Call, Chunk
from runyard.predictions.part import PartFile, Places, publish
from runyard.predictions.progress import Progress, Written
from runyard.predictions.writing import BackgroundWriting


class Slow:
    """An encoder that takes its time, and may fail."""

    def __init__(self, *, fail_at: int | None = None) -> None:
        self.rows = 0
        self._fail_at = fail_at
        self.thread: threading.Thread | None = None

    def head(self) -> bytes:
        return b"head\n"

    def encode(self, chunk: Chunk) -> bytes:
        self.thread = threading.current_thread()
        time.sleep(0.005)
        if self._fail_at is not None and self.rows >= self._fail_at:
            raise StorageError("the disk is full")
        self.rows += chunk.rows
        return b"".join(b"%d\n" % value for value in chunk.arrays[0].tolist())

    def finish(self, part: Path) -> Path:
        return part


def call(start: int, rows: int) -> Call:
    return Call([tf.range(start, start + rows)], rows, batches=1, ended=False)


def writing(tmp_path: Path, encoder: Slow) -> BackgroundWriting:
    places = Places(tmp_path / "out.csv")
    return BackgroundWriting(
        PartFile(places.part), encoder=encoder, written=Written(), progress=Progress(places.progress)
    )


def test_rows_come_in_order_and_few_wait(tmp_path: Path) -> None:
    encoder = Slow()
    background = writing(tmp_path, encoder)
    waiting = []
    for number in range(30):
        background.put(call(number * 10, 10), position=None)
        waiting.append((number + 1) * 10 - encoder.rows)
    background.finish()
    assert (tmp_path / ".out.csv.part").read_text() == "head\n" + "".join(f"{n}\n" for n in range(300))
    assert max(waiting) <= 30, "one call is written, one waits, one was just put"
    assert encoder.thread is not threading.current_thread()


def test_a_large_call_is_encoded_piece_by_piece(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Noting(Slow):
        def encode(self, chunk: Chunk) -> bytes:
            sizes.append(chunk.rows)
            return super().encode(chunk)

    background = writing(tmp_path, Noting())
    background.put(call(0, 20_000), position=None)
    background.finish()
    assert sizes == [8192, 8192, 3616]
    lines = np.loadtxt(tmp_path / ".out.csv.part", skiprows=1, dtype=int)
    assert np.array_equal(lines, np.arange(20_000))


def test_a_failure_is_raised_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    background = writing(tmp_path, Slow(fail_at=20))
    with pytest.raises(StorageError, match="full"):
        for number in range(100):
            background.put(call(number * 10, 10), position=None)
    with pytest.raises(StorageError, match="full"):
        background.finish()


def test_a_part_keeps_what_counts(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"kept and not kept")
    part = PartFile(path, keep=4)
    part.write(b"!")
    part.sync()
    assert (path.read_bytes(), part.size) == (b"kept!", 5)
    part.close()
    publish(path, tmp_path / "whole")
    assert [entry.name for entry in tmp_path.iterdir()] == ["whole"]


def test_a_part_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot write .*No such file or directory$"):
        PartFile(tmp_path / "missing" / "part")
