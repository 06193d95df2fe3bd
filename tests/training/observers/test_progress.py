import re
from typing import Any

import pytest

from runyard.training.observers.progress import ProgressObserver
from tests.telemetry.terminal import run_on_terminal, screen
from tests.training.observers.scripted_run import ScriptedRun


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def plain(*, steps_per_epoch: int | None = 20, clock: Any = None) -> ProgressObserver:
    return ProgressObserver(epochs=3, steps_per_epoch=steps_per_epoch, batch_size=1000, clock=clock or Clock())


def test_without_a_terminal_each_epoch_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    run, observer = ScriptedRun(), plain()
    observer.on_train_begin(run)
    for _ in range(2):
        for _ in range(4):
            run.train(observer, steps=5, seconds=0.1)
        run.end_epoch(observer, loss=0.51234, auc=0.812, rows=19_500, val_loss=0.6, val_auc=0.5)
    observer.on_train_end(run)
    written = capsys.readouterr()
    tail = "20 batches, 0.4 s, 48,750 rows/s, loss 0.5123, auc 0.812, val_loss 0.6, val_auc 0.5"
    assert written.err.splitlines() == [f"epoch 1/3: {tail}", f"epoch 2/3: {tail}"]
    assert written.out == ""
    assert run.reads == 0, "reading metrics costs"


def test_an_epoch_of_more_than_a_minute_says_so_each_minute(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    run, observer = ScriptedRun(), plain(steps_per_epoch=None, clock=clock)
    observer.on_train_begin(run)
    for _ in range(5):
        clock.now += 30
        run.train(observer, steps=10, seconds=30.0)
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "epoch 1/3: batch 20",
        "epoch 1/3: batch 40",
    ]
    run.end_epoch(observer, loss=0.5)
    capsys.readouterr()
    clock.now += 60
    run.train(observer, steps=20, seconds=60.0)
    assert "batch 20/50, 1 min 00 s" in capsys.readouterr().err, "the length is known after the first epoch"


def test_a_resumed_epoch_counts_the_time_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    run, observer = ScriptedRun(), plain(steps_per_epoch=None)
    run.train(observer, steps=10, seconds=1.0)
    resumed = plain(steps_per_epoch=None)
    resumed.restore({}, observer.values())
    resumed.on_train_begin(run)
    run.train(resumed, steps=10, seconds=1.0)
    run.end_epoch(resumed)
    assert capsys.readouterr().err == "epoch 1/3: 20 batches, 2.0 s, 10,000 rows/s\n"


ON_A_TERMINAL = """
import sys
from runyard.telemetry import note
from runyard.training.observers.progress import ProgressObserver
from tests.training.observers.scripted_run import ScriptedRun

now = 0.0
run = ScriptedRun()
observer = ProgressObserver(epochs=2, steps_per_epoch=None, batch_size=10, clock=lambda: now)
observer.on_train_begin(run)
for epoch in range(2):
    for call in range(100):
        now += 0.05
        run.train(observer, steps=2, seconds=0.05)
    note(f"in epoch {epoch}")
    run.end_epoch(observer, loss=0.5, rows=2000)
observer.on_train_end(run)
assert run.reads <= 12, run.reads
"""


def test_on_a_terminal_there_is_a_bar(pytestconfig: pytest.Config) -> None:
    ended = run_on_terminal(ON_A_TERMINAL, columns=120, folder=pytestconfig.rootpath)
    assert ended.code == 0, ended.raw
    assert screen(ended.raw, columns=120) == [
        "note: in epoch 0",
        "epoch 1/2: 200 batches, 5.0 s, 400 rows/s, loss 0.5",
        "note: in epoch 1",
        "epoch 2/2: 200 batches, 5.0 s, 400 rows/s, loss 0.5",
    ]
    assert re.search(r"━  1\d\d/200  400 rows/s  [12]\.\d s left  loss 0.5, auc 0.75", ended.raw.replace("\x1b[0m", ""))
    assert "  200/200  400 rows/s  0.0 s left" in ended.raw
    drawings = ended.raw.count("epoch 1/2") + ended.raw.count("epoch 2/2")
    assert drawings <= 60, "at most five a second"
