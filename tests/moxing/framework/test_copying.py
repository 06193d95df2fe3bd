"""Copies, removals, moves."""

from pathlib import Path

import pytest

from moxing.framework import file
from moxing.framework.file import copy_progress
from runyard.errors import StorageError
from tests.small_disk import small_disk


def fill(folder: Path, names: list[str]) -> Path:
    for name in names:
        file.write(folder / name, name)
    return folder


def files(folder: Path) -> list[str]:
    return file.list_directory(folder, recursive=True, skip_dir=True)


def test_one_file(tmp_path: Path) -> None:
    fill(tmp_path, ["a"])
    file.copy(tmp_path / "a", tmp_path / "new" / "b")
    assert file.read(tmp_path / "new" / "b") == "a"
    file.copy(tmp_path / "a", tmp_path / "a")
    assert file.read(tmp_path / "a") == "a"


def test_copy_and_copy_parallel_tell_what_each_is_for(tmp_path: Path) -> None:
    fill(tmp_path, ["a", "folder/b"])
    with pytest.raises(file.MoxFileNameDuplicateException, match="hint: copy_parallel copies directories"):
        file.copy(tmp_path / "folder", tmp_path / "c")
    with pytest.raises(file.MoxFileNameDuplicateException, match="hint: give the name of the copy"):
        file.copy(tmp_path / "a", tmp_path / "folder")
    with pytest.raises(file.MoxFileNotExistsException, match="/missing"):
        file.copy(tmp_path / "missing", tmp_path / "c")
    file.copy_parallel(tmp_path / "a", tmp_path / "c")
    assert file.read(tmp_path / "c") == "a"


@pytest.mark.parametrize("use_queue", [True, False])
@pytest.mark.parametrize("threads", [1, 16])
def test_a_directory(tmp_path: Path, threads: int, use_queue: bool) -> None:
    names = [f"part{i % 7}/{i}" for i in range(200)]
    source = fill(tmp_path / "source", names)
    (source / "empty").mkdir()
    fill(tmp_path / "target", ["kept", "part0/0"])
    file.write(tmp_path / "target" / "part0" / "0", "old")
    file.copy_parallel(source, tmp_path / "target", threads=threads, use_queue=use_queue)
    assert files(tmp_path / "target") == sorted([*names, "kept"])
    assert file.read(tmp_path / "target" / "part0" / "0") == "part0/0"
    assert (tmp_path / "target" / "empty").is_dir()


def test_only_the_files_of_a_list(tmp_path: Path) -> None:
    source = fill(tmp_path / "source", ["a", "b/c", "b/d"])
    file.copy_parallel(source, tmp_path / "target", file_list=["b/c", "a"])
    assert files(tmp_path / "target") == ["a", "b/c"]


def test_nothing_to_copy_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "source").mkdir()
    file.copy_parallel(tmp_path / "source", tmp_path / "target")
    assert capsys.readouterr().err == "No files to copy\n"
    assert (tmp_path / "target").is_dir()


@pytest.mark.parametrize(
    ("is_processing", "lines"), [(True, ["copied 1 files, 0.0 MB", "copied 2 files, 0.0 MB"]), (False, [])]
)
def test_how_far_it_is_is_told_if_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_processing: bool,
    lines: list[str],
) -> None:
    monkeypatch.setattr(copy_progress, "_SECONDS_BETWEEN_LINES", 0.0)
    fill(tmp_path / "source", ["a", "b"])
    file.copy_parallel(tmp_path / "source", tmp_path / "target", is_processing=is_processing)
    assert capsys.readouterr().err.splitlines() == lines


def test_what_cannot_be_copied_is_named_and_the_rest_is_copied(tmp_path: Path) -> None:
    source = fill(tmp_path / "source", ["a", "b"])
    with pytest.raises(StorageError, match=r"1 of 3 files .* could not be copied: missing: No such file"):
        file.copy_parallel(source, tmp_path / "target", file_list=["a", "missing", "b"])
    assert files(tmp_path / "target") == ["a", "b"]
    with pytest.raises(file.MoxFileNotExistsException):
        file.copy_parallel(tmp_path / "nothing", tmp_path / "target")
    with pytest.raises(StorageError, match="cannot be copied into itself"):
        file.copy_parallel(source, source / "target")


def test_a_file_is_removed_either_way(tmp_path: Path) -> None:
    fill(tmp_path, ["a", "b"])
    file.remove(tmp_path / "a")
    file.remove(tmp_path / "b", recursive=True)
    assert files(tmp_path) == []
    with pytest.raises(file.MoxFileNotExistsException):
        file.remove(tmp_path / "a")


def test_a_directory_is_removed_only_recursively(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, ["folder/a", "slashed/a", "file"])
    file.remove(tmp_path / "folder")
    file.remove(f"{tmp_path}/file/", recursive=True)
    assert files(tmp_path) == ["file", "folder/a", "slashed/a"]
    told = capsys.readouterr().err
    assert "folder is a directory and was not removed: that needs recursive=True" in told
    assert "file/ is a file and was not removed: leave the / out" in told
    file.remove(tmp_path / "folder", recursive=True)
    file.remove(f"{tmp_path}/slashed/", recursive=True)
    assert file.list_directory(tmp_path) == ["file"]


def test_a_link_to_a_directory_is_removed_not_what_it_leads_to(tmp_path: Path) -> None:
    fill(tmp_path, ["folder/a"])
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    file.remove(tmp_path / "link", recursive=True)
    assert files(tmp_path) == ["folder/a"]


def test_files_and_directories_move(tmp_path: Path) -> None:
    fill(tmp_path, ["a", "folder/b"])
    file.rename(tmp_path / "a", tmp_path / "c")
    file.rename(tmp_path / "folder", tmp_path / "other")
    assert files(tmp_path) == ["c", "other/b"]
    with pytest.raises(file.MoxFileNotExistsException):
        file.rename(tmp_path / "a", tmp_path / "c")
    with pytest.raises(IsADirectoryError):
        file.rename(tmp_path / "c", tmp_path / "other")
    assert files(tmp_path) == ["c", "other/b"]


def test_what_moves_may_change_the_disk(tmp_path: Path) -> None:
    fill(tmp_path, ["a", "folder/b"])
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        file.rename(tmp_path / "a", disk / "a")
        file.rename(tmp_path / "folder", disk / "folder")
        assert files(disk) == ["a", "folder/b"]
    assert not (tmp_path / "a").exists()
