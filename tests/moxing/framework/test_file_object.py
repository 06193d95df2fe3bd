"""`mox.file.File`."""

import csv
import logging
from pathlib import Path

import pytest

from moxing.framework import file


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "a.txt"
    path.write_text("eins\nzwei\ndrei ü\n", encoding="utf-8")
    return str(path)


def test_reading(text: str) -> None:
    with file.File(text) as opened:
        assert (opened.name, opened.mode, opened.closed) == (text, "r", False)
        assert (opened.readable(), opened.writable(), opened.seekable(), opened.isatty()) == (True, False, True, False)
        assert opened.read(4) == "eins"
        assert opened.readline() == "\n"
        assert opened.next() == "zwei\n"
        assert list(opened) == ["drei ü\n"]
        with pytest.raises(StopIteration):
            opened.next()
        opened.seek(0)
        assert opened.readline(2) == "ei"
        assert len(opened.readlines()) == 3
        assert opened.size() == 18
    assert opened.closed


@pytest.mark.parametrize("mode", ["r", "w", "a", "r+", "w+", "a+"])
def test_every_mode_as_text_and_as_bytes(text: str, mode: str) -> None:
    before = Path(text).read_bytes()
    for kind, data in ((mode, "neu"), (mode.replace("+", "b+") if "+" in mode else f"{mode}b", b"neu")):
        Path(text).write_bytes(before)
        with file.File(text, kind) as opened:
            assert opened.writable() == (mode != "r")
            assert opened.readable() == (mode == "r" or "+" in mode)
            if opened.writable():
                opened.write(data)
                opened.writelines([data])
                assert opened.tell() >= 6
        added = b"neuneu" if mode != "r" else b""
        kept = {"w": b"", "a": before, "r": before[len(added) :]}[mode[0]]
        assert Path(text).read_bytes() == (kept + added if mode[0] == "a" else added + kept)


def test_the_size_counts_what_was_just_written(tmp_path: Path) -> None:
    with file.File(tmp_path / "b.bin", "wb") as opened:
        opened.write(b"12345")
        assert opened.size() == 5


def test_libraries_take_it_for_a_file(tmp_path: Path) -> None:
    with file.File(tmp_path / "b.csv", "w") as opened:
        csv.writer(opened).writerows([["a", "b"], [1, 2]])
    with file.File(tmp_path / "b.csv") as opened:
        assert list(csv.DictReader(opened)) == [{"a": "1", "b": "2"}]
    with file.File(tmp_path / "log.txt", "w") as stream:
        handler = logging.StreamHandler(stream)
        handler.emit(logging.LogRecord("x", logging.INFO, "", 0, "hello", None, None))
    assert file.read(tmp_path / "log.txt") == "hello\n"


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mode 'x' is none of r, w"):
        file.File(tmp_path / "a", "x")
    with pytest.raises(FileNotFoundError, match=r"there is no file or directory .*/missing/a"):
        file.File(tmp_path / "missing" / "a")
    with pytest.raises(file.MoxFileNameDuplicateException, match="is a directory"):
        file.File(tmp_path, "r")
