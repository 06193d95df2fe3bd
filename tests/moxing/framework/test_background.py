"""A copy that is kept up to date."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from moxing.framework import file
from moxing.framework.file.mirror import Mirror
from moxing.framework.file.stores import place_of


def test_only_what_has_changed_is_brought(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    mirror = Mirror(place_of(source), place_of(target), last=frozenset({"checkpoint"}), follow_removals=True)
    assert mirror.update() == 0
    file.write(source / "model-1", "1")
    file.write(source / "checkpoint", "model-1")
    assert (mirror.update(), mirror.update()) == (2, 0)
    file.write(source / "checkpoint", "model-22")
    file.write(source / "sub" / "model-22", "2")
    file.remove(source / "model-1")
    file.write(target / "others", "kept")
    assert mirror.update() == 2
    assert file.list_directory(target, recursive=True, skip_dir=True) == ["checkpoint", "others", "sub/model-22"]
    assert target.joinpath("checkpoint").stat().st_mtime_ns >= target.joinpath("sub/model-22").stat().st_mtime_ns


def test_files_appear_in_the_background_and_a_last_time_at_the_end(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    file.write(source / "a", "1")
    sync = file.background_sync_copy(source, target, seconds=0.01)
    until = time.monotonic() + 60
    while not (target / "a").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    sync.stop()
    file.write(source / "b", "2")
    assert file.list_directory(target) == ["a"]
    slow = file.background_sync_copy(source, target, seconds=3600)
    slow.stop()
    slow.stop()
    assert file.list_directory(target) == ["a", "b"]


def test_a_round_that_fails_is_told_and_the_next_one_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write(tmp_path / "source" / "a", "1")
    file.write(tmp_path / "target", "a file in the way")
    file.background_sync_copy(tmp_path / "source", tmp_path / "target", seconds=3600).stop()
    assert "this round is left out" in capsys.readouterr().err
    file.remove(tmp_path / "target")
    file.background_sync_copy(tmp_path / "source", tmp_path / "target", seconds=3600).stop()
    assert file.list_directory(tmp_path / "target") == ["a"]
    with pytest.raises(ValueError, match="more than 0"):
        file.background_sync_copy(tmp_path / "source", tmp_path / "target", seconds=0)


def test_processes_of_mpi_wait_for_each_other(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from moxing.framework.util.runtime import mpi_local_sync_barrier as barrier\n"
        "here, rank = pathlib.Path(sys.argv[1]), sys.argv[2]\n"
        "for i in range(2):\n"
        "    (here / f'{i}-{rank}').touch(); barrier()\n"
        "    assert len(list(here.glob(f'{i}-*'))) == 3\n"
    )
    environment = os.environ | {"OMPI_COMM_WORLD_LOCAL_SIZE": "3", "TMPDIR": str(tmp_path)}
    (tmp_path / "here").mkdir()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "here"), str(rank)],
            env=environment | {"OMPI_COMM_WORLD_LOCAL_RANK": str(rank)},
        )
        for rank in range(3)
    ]
    assert [process.wait(timeout=120) for process in started] == [0, 0, 0]


def test_without_mpi_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    from moxing.framework.util.runtime import mpi_local_sync_barrier

    monkeypatch.delenv("OMPI_COMM_WORLD_LOCAL_SIZE", raising=False)
    mpi_local_sync_barrier()


def test_text_or_bytes() -> None:
    from moxing.framework.util.compat import as_str

    assert as_str("grün") == as_str("grün".encode()) == "grün"
    with pytest.raises(TypeError, match="expected text or bytes"):
        as_str(3)  # pyright: ignore[reportArgumentType]
