"""Whole files."""

import threading
from pathlib import Path

import pytest

from moxing.framework import file
from moxing.framework.file import file_io
from runyard.errors import StorageError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "folder" / "a.txt")
    file.write(path, "grün")
    file.append(path, "!\n")
    assert file.read(path) == "grün!\n"
    assert file.read(path, binary=True) == "grün!\n".encode()
    file.write(path.encode(), b"\x00\xff", binary=True)
    file.append(f"file://{path}", b"\x01", binary=True)
    assert file_io.read(path, binary=True, exist_check=True) == b"\x00\xff\x01"


def test_one_file_after_another(tmp_path: Path) -> None:
    file.write(tmp_path / "a", "1")
    file.append_remote(tmp_path / "a", tmp_path / "b")
    file.append_remote(tmp_path / "a", tmp_path / "b")
    assert file.read(tmp_path / "b") == "11"


@pytest.mark.parametrize("exist_check", [False, True])
def test_a_missing_file_is_named(tmp_path: Path, exist_check: bool) -> None:
    with pytest.raises(file.MoxFileNotExistsException, match=r"there is no file.*/nothing") as caught:
        file.read(tmp_path / "nothing", exist_check=exist_check)
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, StorageError)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    file.write(tmp_path / "a", b"ab\xff", binary=True)
    with pytest.raises(file.MoxFileReadException, match="byte 2 is not UTF-8") as caught:
        file.read(tmp_path / "a")
    assert caught.value.resp is None
    assert caught.value.hint == "read it with binary=True"
    with pytest.raises(file.MoxFileReadException, match="is a directory"):
        file.read(tmp_path)


def test_text_is_not_binary(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="data is text"):
        file.write(tmp_path / "a", "text", binary=True)
    assert not file.exists(tmp_path / "a")


def test_nobody_sees_a_file_half_written(tmp_path: Path) -> None:
    path = tmp_path / "a"
    file.write(path, "x" * 100_000)
    seen: set[int] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            seen.add(len(file.read(path)))

    looking = threading.Thread(target=look)
    looking.start()
    for size in (200_000, 100_000) * 20:
        file.write(path, "x" * size)
    ended.set()
    looking.join()
    assert seen <= {100_000, 200_000}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file.write(tmp_path / "a", "1")
    (tmp_path / "a").chmod(0o750)
    file.write(tmp_path / "a", "2")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o750


def test_an_empty_path_is_nothing() -> None:
    assert not file.exists("")
    assert not file.is_directory("")
    for call in (file.read, file.File, file.list_directory, file.stat, lambda url: file.remove(url, recursive=True)):
        with pytest.raises(FileNotFoundError):
            call("")


def test_devices_and_links_stay_what_they_are(tmp_path: Path) -> None:
    file.write("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    file.write(tmp_path / "link", "1")
    assert (tmp_path / "link").is_symlink()
    assert file.read(tmp_path / "a") == "1"


@pytest.mark.parametrize("url", ["s3://bucket/a", "obs://bucket/a"])
def test_object_stores_are_refused_with_a_remedy(url: str) -> None:
    for call in (file.read, file.exists, file.list_directory, file.remove, file.File, file.stat, file.make_dirs):
        with pytest.raises(StorageError, match=f"{url}: object stores cannot be reached"):
            call(url)
    with pytest.raises(StorageError, match="there is no place for ftp:// files"):
        file.read("ftp://host/a")
