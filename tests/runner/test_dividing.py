"""Which numbers of workers can go on with a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from runyard.checkpoint.record import RunRecord, read_record
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.errors import CheckpointError
from runyard.runner.dividing import go_on_with, shards_to_begin_with
from runyard.runner.membership import Orders
from runyard.training.coordinator import Coordinator
from tests.training.test_division import OneOf

RECORD = RunRecord(1, "2024-01-01T00:00:00", {}, {}, {}, shards=3, replicas=2)


def test_as_many_or_fewer_workers_keep_the_division(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    CheckpointStore(tmp_path, keep=1).write(Snapshot({}), step=1)
    assert go_on_with(RECORD, workers=OneOf(0, 3), devices=2, directory=tmp_path) == RECORD
    assert capfd.readouterr().err == ""
    assert go_on_with(RECORD, workers=OneOf(0, 2), devices=2, directory=tmp_path) == RECORD
    assert "began with 3 workers and goes on with 2, which do the work of all" in capfd.readouterr().err
    assert go_on_with(RECORD, workers=OneOf(0, 1), devices=1, directory=tmp_path) == RECORD
    told = capfd.readouterr().err
    assert "goes on with 1, which does" in told
    assert "began with 2 devices" in told


def test_a_run_without_a_checkpoint_is_divided_by_those_who_begin_it(tmp_path: Path) -> None:
    anew = go_on_with(RECORD, workers=OneOf(0, 1), devices=1, directory=tmp_path)
    assert anew == replace(RECORD, shards=1, replicas=1)


def test_a_worker_that_is_lost_before_the_beginning_leaves_its_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in Orders("a run", "2024-01-01T00:00:00", 3).variables().items():
        monkeypatch.setenv(name, value)
    assert shards_to_begin_with(OneOf(0, 2)) == 3
    assert go_on_with(RECORD, workers=OneOf(0, 2), devices=2, directory=tmp_path) == RECORD


def test_more_workers_can_only_begin(tmp_path: Path) -> None:
    grown = go_on_with(RECORD, workers=OneOf(0, 4), devices=1, directory=tmp_path)
    assert grown == replace(RECORD, shards=4, replicas=1)
    CheckpointStore(tmp_path, keep=1).write(Snapshot({}), step=1)
    with pytest.raises(CheckpointError, match=r"began with 3 workers, .* divided among 4 now") as raised:
        go_on_with(RECORD, workers=OneOf(0, 4), devices=1, directory=tmp_path)
    assert "--workers 3 or fewer" in str(raised.value.hint)


def test_parameter_servers_do_not_touch_the_division_of_a_run_that_has_a_checkpoint(tmp_path: Path) -> None:
    coordinator = object.__new__(Coordinator)
    coordinator.workers = ["a device"]
    assert go_on_with(RECORD, workers=coordinator, devices=1, directory=tmp_path).shards == 1
    CheckpointStore(tmp_path, keep=1).write(Snapshot({}), step=1)
    with pytest.raises(CheckpointError, match="without parameter servers"):
        go_on_with(RECORD, workers=coordinator, devices=1, directory=tmp_path)


@pytest.mark.parametrize("wrong", [0, -1, "2", None])
def test_a_record_with_a_senseless_division_is_refused(tmp_path: Path, wrong: object) -> None:
    replace(RECORD, shards=wrong).write(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(CheckpointError, match="shards"):
        read_record(tmp_path)
