"""Numbered versions: largest plus one, each export its own, nothing half written."""

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runyard.errors import StorageError
from runyard.models.versions import next_version, publish_version, workspace


def publish(base: Path, text: str) -> Path:
    with workspace(base) as work:
        new = work / "new"
        new.mkdir()
        (new / "model").write_text(text)
        return publish_version(new, base=base)


def test_only_directories_of_digits_count(tmp_path: Path) -> None:
    for name in ("1", "007", "9x", "١٢"):
        (tmp_path / name).mkdir()
    (tmp_path / "50").write_text("a file")
    assert next_version(tmp_path) == 8
    assert publish(tmp_path, "new").name == "8"


def test_a_file_in_the_way_is_stepped_over(tmp_path: Path) -> None:
    (tmp_path / "1").write_text("not a version")
    assert publish(tmp_path, "new") == tmp_path / "2"
    assert (tmp_path / "1").read_text() == "not a version"


def test_exports_at_the_same_time_get_a_number_each(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda number: publish(tmp_path, str(number)), range(40)))
    assert sorted(int(path.name) for path in paths) == list(range(1, 41))
    assert [(path / "model").read_text() for path in paths] == [str(number) for number in range(40)]
    assert len(list(tmp_path.iterdir())) == 40, "nothing else is left"


def test_a_version_that_comes_first_is_never_replaced(tmp_path: Path) -> None:
    with workspace(tmp_path) as work:
        (work / "new").mkdir()
        (work / "new" / "model").write_text("late")
        (tmp_path / "1").mkdir()
        (tmp_path / "1" / "model").write_text("early")
        assert publish_version(work / "new", base=tmp_path) == tmp_path / "2"
    assert (tmp_path / "1" / "model").read_text() == "early"


def test_a_version_can_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = publish(tmp_path, "new")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o750


def test_what_a_killed_export_left_is_removed_and_a_living_ones_is_not(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    killed = tmp_path / f".export.{socket.gethostname()}.{dead.pid}.abc"
    alive = tmp_path / f".export.{socket.gethostname()}.{os.getpid()}.abc"
    elsewhere = tmp_path / f".export.another-host.{dead.pid}.abc"
    for path in (killed, alive, elsewhere):
        path.mkdir()
    publish(tmp_path, "new")
    assert [path.exists() for path in (killed, alive, elsewhere)] == [False, True, True]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError), workspace(tmp_path / "new"):
        raise ValueError
    assert list((tmp_path / "new").iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=f"Not a directory: {tmp_path / 'file'}"), workspace(tmp_path / "file" / "x"):
        pass
