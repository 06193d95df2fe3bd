"""What is there."""

import os
from pathlib import Path

import pytest

from moxing.framework import file


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, size in (("a.txt", 1), ("b.csv", 2), ("sub/c.txt", 3), ("sub/deep/d.txt", 4)):
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_bytes(b"x" * size)
    (tmp_path / "tree" / "empty").mkdir()
    return tmp_path / "tree"


def test_listings(tree: Path) -> None:
    assert file.list_directory(tree) == ["a.txt", "b.csv", "empty", "sub"]
    assert file.list_directory(tree, remove_sep=False) == ["a.txt", "b.csv", "empty/", "sub/"]
    assert file.list_directory(f"{tree}/", recursive=True, skip_dir=True) == [
        "a.txt",
        "b.csv",
        "sub/c.txt",
        "sub/deep/d.txt",
    ]
    assert file.list_directory(tree, recursive=True, skip_file=True) == ["empty", "sub", "sub/deep"]
    assert file.list_directory(tree / "empty") == []
    with pytest.raises(file.MoxFileNotExistsException):
        file.list_directory(tree / "missing")


def test_a_link_in_a_circle_ends(tree: Path) -> None:
    (tree / "sub" / "back").symlink_to(tree)
    assert "sub/back" in file.list_directory(tree, recursive=True)
    assert file.get_size(tree, recursive=True) == 10


def test_sizes(tree: Path) -> None:
    assert file.get_size(tree / "b.csv") == 2
    assert file.get_size(tree) == 0
    assert file.get_size(tree, recursive=True) == 10
    with pytest.raises(file.MoxFileNotExistsException):
        file.get_size(tree / "missing")


def test_what_is_known_of_a_file(tree: Path) -> None:
    os.utime(tree / "a.txt", ns=(1, 1_500_000_000_000_000_000))
    stat = file.stat(tree / "a.txt")
    assert (stat.length, stat.mtime_nsec, stat.is_directory) == (1, 1_500_000_000_000_000_000, False)
    assert file.stat(tree / "sub").is_directory
    assert (file.is_directory(tree), file.is_directory(tree / "a.txt"), file.is_directory(tree / "no")) == (1, 0, 0)
    assert (file.exists(tree / "a.txt"), file.exists(tree / "no")) == (True, False)
    with pytest.raises(file.MoxFileNotExistsException, match="/tree/no"):
        file.stat(tree / "no")


def test_patterns_walks_and_scans(tree: Path) -> None:
    assert file.glob(f"{tree}/*.txt") == [f"{tree}/a.txt"]
    assert file.glob(f"{tree}/**/*.txt") == [f"{tree}/{name}" for name in ("a.txt", "sub/c.txt", "sub/deep/d.txt")]
    assert file.glob(f"{tree}/*.png") == []
    assert list(file.walk(str(tree), topdown=False)) == list(os.walk(tree, topdown=False))
    assert {entry.name: entry.is_dir() for entry in file.scan_dir(tree)} == {
        "a.txt": False,
        "b.csv": False,
        "empty": True,
        "sub": True,
    }


def test_directories_are_made(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="there is no file or directory"):
        file.mk_dir(tmp_path / "a" / "b")
    file.mk_dir(tmp_path / "a")
    file.mk_dir(tmp_path / "a")
    file.make_dirs(tmp_path / "a" / "b" / "c")
    file.make_dirs(tmp_path / "a" / "b" / "c")
    assert file.is_directory(tmp_path / "a" / "b" / "c")
    file.write(tmp_path / "file", "")
    for make in (file.mk_dir, file.make_dirs):
        with pytest.raises(file.MoxFileNameDuplicateException, match="is a file"):
            make(tmp_path / "file")
