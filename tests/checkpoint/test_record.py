import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runyard.checkpoint.record import RunRecord, changed_keys, read_record
from runyard.errors import CheckpointError


def _record() -> RunRecord:
    moment = datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)
    return RunRecord(7, moment.isoformat(), {"python": "3.11"}, {"intra": 0}, {"name": "数据", "x": [1, None]})


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    _record().write(tmp_path / "new")
    assert read_record(tmp_path / "new") == _record()
    assert _record().moment == datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)


def test_a_record_keeps_its_result(tmp_path: Path) -> None:
    finished = _record().with_result({"step": 3})
    finished.write(tmp_path)
    assert read_record(tmp_path) == finished
    assert (_record().result, finished.result) == (None, {"step": 3})


def test_where_no_run_was_begun_there_is_none(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    assert read_record(tmp_path / "nowhere") is None


def _changed(**fields: Any) -> str:
    fine = {"seed": 1, "now": "2024-01-01", "versions": {}, "threads": {}, "job": {}, "result": None, "format": 1}
    return json.dumps({**fine, **fields})


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "{}", "\x00"),
        *(_changed(more=1), _changed(seed="x"), _changed(now="later"), _changed(now=None), _changed(job=[])),
        *(_changed(result=3), _changed(format=2), _changed(versions=None)),
    ],
)
def test_a_damaged_record_is_one_clear_line_with_a_way_out(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(CheckpointError) as caught:
        read_record(tmp_path)
    assert caught.value.message.startswith(f"the run record {tmp_path / 'run.json'} cannot be read: ")
    assert "--fresh" in str(caught.value)


def test_bytes_that_are_no_text_are_damage_too(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"\xff\xfe")
    with pytest.raises(CheckpointError):
        read_record(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a"]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ["a.c"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
        ({"a": {"b": 1}}, {}, ["a"]),
        ({}, {"a": 1, "b": [1]}, ["a", "b"]),
        ({"a": [1, 2]}, {"a": [2, 1]}, ["a"]),
        ({"a": None}, {}, []),
    ],
)
def test_changes_are_told_by_their_paths(old: Any, new: Any, paths: list[str]) -> None:
    assert changed_keys(old, new) == paths
