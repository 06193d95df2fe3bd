import errno
import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runyard.checkpoint import durable
from runyard.checkpoint.durable import publish_directory, put_back, write_json, write_text
from runyard.errors import StorageError


class _Crash(BaseException):
    """Stands for the end of the process."""


def _names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def _directory(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "inner").mkdir()
    (path / "inner" / "file").write_text(content)
    return path


def _content(path: Path) -> str:
    return (path / "inner" / "file").read_text()


def test_a_file_is_written_and_replaced_without_litter(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for text in ("one", "zwei ü"):
        write_text(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert _names(path.parent) == ["file"]


def test_json_is_readable_by_people(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"name": "数据", "steps": [1]})
    assert '"name": "数据"' in (tmp_path / "x.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [_Crash, OSError])
def test_a_write_that_fails_at_any_point_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, failure: type[BaseException]
) -> None:
    path = tmp_path / "file"
    write_text(path, "old")

    def fail(*_: Any) -> None:
        raise failure(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(_Crash if failure is _Crash else StorageError):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["file"]


_WRITE_FOREVER = """
import sys
from pathlib import Path
from runyard.checkpoint.durable import write_json
count = 0
while True:
    count += 1
    write_json(Path(sys.argv[1]), {"numbers": [count] * 20000})
    print(count, flush=True) if count == 1 else None
"""


def test_a_file_is_whole_whenever_its_writer_is_killed(tmp_path: Path, start_child: Callable[..., Any]) -> None:
    path = tmp_path / "file.json"
    for _ in range(8):
        child = start_child(_WRITE_FOREVER, path)
        child.stdout.readline()
        time.sleep(random.uniform(0, 0.05))
        child.kill()
        child.wait()
        assert len(set(json.loads(path.read_text())["numbers"])) == 1
    write_text(path, "the next writer removes the litter of the killed ones")
    assert _names(tmp_path) == ["file.json"]


def test_the_temporary_file_of_a_living_writer_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / f".file.{os.getppid()}.tmp"
    other.touch()
    write_text(tmp_path / "file", "x")
    assert other.exists()


def test_a_full_disk_is_one_clear_line_and_leaves_the_old_file(mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=256k")
    write_text(disk / "file", "old")
    with pytest.raises(StorageError) as caught:
        write_text(disk / "file", "x" * 1_000_000)
    assert str(caught.value) == f"cannot write {disk / 'file'}: No space left on device"
    assert (disk / "file").read_text() == "old"
    assert _names(disk) == ["file"]


def test_a_read_only_disk_is_one_clear_line(mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=256k")
    write_text(disk / "file", "old")
    mounted("remount,ro")
    for path in (disk / "file", disk / "new" / "file"):
        with pytest.raises(StorageError) as caught:
            write_text(path, "new")
        assert str(caught.value) == f"cannot write {path}: Read-only file system"
    assert (disk / "file").read_text() == "old"


def test_a_directory_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "x", tmp_path / "file" / "deep" / "x"):
        with pytest.raises(StorageError) as caught:
            write_text(path, "x")
        assert str(caught.value) == f"cannot write {path}: Not a directory: {tmp_path / 'file'}"


def test_a_directory_is_published_and_replaced_without_litter(tmp_path: Path) -> None:
    for content in ("one", "two"):
        publish_directory(_directory(tmp_path / ".new", content), tmp_path / "final")
        assert _content(tmp_path / "final") == content
        assert _names(tmp_path) == ["final"]


def test_a_directory_that_vanished_cannot_be_published(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^cannot write .*/final: No such file or directory$"):
        publish_directory(tmp_path / "gone" / ".new", tmp_path / "gone" / "final")


def test_names_are_exchanged_at_once_on_this_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _directory(tmp_path / "final", "old")
    monkeypatch.setattr(durable, "_replace_in_two_steps", lambda *_: pytest.fail("there was a moment with neither"))
    publish_directory(_directory(tmp_path / ".new", "new"), tmp_path / "final")
    assert _content(tmp_path / "final") == "new"


def test_where_names_cannot_be_exchanged_a_failure_puts_the_old_directory_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    final = _directory(tmp_path / "final", "old")
    new = _directory(tmp_path / ".new", "new")
    monkeypatch.setattr(durable, "_exchange", lambda *_: False)
    real = os.replace

    def fail(source: Path, target: Path) -> None:
        if source == new:
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StorageError, match="Input/output error"):
        publish_directory(new, final)
    assert _content(final) == "old"
    monkeypatch.setattr(os, "replace", real)
    publish_directory(new, final)
    assert _content(final) == "new"
    assert _names(tmp_path) == ["final"]


def test_the_old_directory_is_found_again_after_a_kill_between_the_two_steps(tmp_path: Path) -> None:
    _directory(tmp_path / ".final.old", "old")
    put_back(tmp_path / "final")
    assert _content(tmp_path / "final") == "old"
    _directory(tmp_path / ".final.old", "older")
    publish_directory(_directory(tmp_path / ".new", "new"), tmp_path / "final")
    assert _content(tmp_path / "final") == "new"
    assert _names(tmp_path) == ["final"]


_PUBLISH_FOREVER = """
import shutil, sys
from pathlib import Path
from runyard.checkpoint.durable import publish_directory
home = Path(sys.argv[1])
count = 0
while True:
    count += 1
    new = home / ".new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    for name in "ab":
        (new / name).write_text(str(count))
    publish_directory(new, home / "final")
    print(count, flush=True) if count == 1 else None
"""


def test_a_directory_is_there_and_whole_whenever_its_writer_is_killed(
    tmp_path: Path, start_child: Callable[..., Any]
) -> None:
    for _ in range(8):
        child = start_child(_PUBLISH_FOREVER, tmp_path)
        child.stdout.readline()
        time.sleep(random.uniform(0, 0.05))
        child.kill()
        child.wait()
        assert (tmp_path / "final" / "a").read_text() == (tmp_path / "final" / "b").read_text() != ""
