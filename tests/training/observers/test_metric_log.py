import json
from pathlib import Path
from typing import Any

import pytest

from runyard.errors import StorageError
from runyard.training.observers.metric_log import MetricLog
from tests.training.observers.scripted_run import ScriptedRun
from tests.training.trainings import ROWS, X, Y, rows, small_model, training_of


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=_refuse) for line in path.read_text().splitlines()]


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def test_an_object_for_each_epoch(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "metrics.jsonl"
    data = rows(X, Y)
    outcome = training_of(
        small_model(), data, validation={"0": data}, metrics=["auc"], observers=[MetricLog(path)], epochs=2
    )()
    found = lines_of(path)
    assert [(line["epoch"], line["step"]) for line in found] == [(1, 3), (2, 6)]
    names = ["loss", "auc", "val_loss(0)", "val_auc(0)"]
    assert list(found[0]) == ["epoch", "step", "seconds", "samples_per_second", *names]
    assert {name: found[-1][name] for name in names} == outcome.results
    assert all(line["seconds"] >= 0 and line["samples_per_second"] > 0 for line in found)


def test_rows_are_counted_over_training_time(tmp_path: Path) -> None:
    log, run = MetricLog(tmp_path / "metrics.jsonl"), ScriptedRun()
    log.on_train_begin(run)
    for _ in range(2):
        run.train(log, seconds=2.0)
        run.end_epoch(log, rows=ROWS, loss=1.0)
    assert [line["samples_per_second"] for line in lines_of(tmp_path / "metrics.jsonl")] == [10.0, 10.0]


def logged(path: Path, *, epochs: int) -> MetricLog:
    log, run = MetricLog(path), ScriptedRun()
    log.on_train_begin(run)
    for epoch in range(epochs):
        run.end_epoch(log, rows=1, loss=float(epoch))
    return log


def test_a_resumed_run_cuts_off_what_came_after_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    checkpoint = json.loads(json.dumps(logged(path, epochs=2).values()))
    with path.open("a") as file:
        file.write('{"epoch": 3, "half a li')
    resumed, run = MetricLog(path), ScriptedRun()
    resumed.restore({}, checkpoint)
    run.epoch = 2
    resumed.on_train_begin(run)
    run.end_epoch(resumed, rows=1, loss=9.0)
    assert [(line["epoch"], line["loss"]) for line in lines_of(path)] == [(1, 0.0), (2, 1.0), (3, 9.0)]


def test_a_log_that_is_gone_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    checkpoint = logged(path, epochs=2).values()
    path.unlink()
    resumed, run = MetricLog(path), ScriptedRun()
    resumed.restore({}, checkpoint)
    resumed.on_train_begin(run)
    run.end_epoch(resumed, rows=1, loss=9.0)
    assert [line["loss"] for line in lines_of(path)] == [9.0]


def test_a_new_run_starts_anew(tmp_path: Path) -> None:
    logged(tmp_path / "metrics.jsonl", epochs=3)
    logged(tmp_path / "metrics.jsonl", epochs=1)
    assert len(lines_of(tmp_path / "metrics.jsonl")) == 1


def test_what_is_no_number_is_null(tmp_path: Path) -> None:
    log, run = MetricLog(tmp_path / "metrics.jsonl"), ScriptedRun()
    log.on_train_begin(run)
    run.end_epoch(log, loss=float("nan"), f1=[0.5, float("inf")])
    (line,) = lines_of(tmp_path / "metrics.jsonl")
    assert line["loss"] is None and line["f1"] == [0.5, None]


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        MetricLog(tmp_path / "file" / "metrics.jsonl").on_train_begin(ScriptedRun())
