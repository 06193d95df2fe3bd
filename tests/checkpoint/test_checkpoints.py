"""training/checkpoints.py: when they are taken, what is left out, what comes back."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from runyard.checkpoint.state import VariableState
from runyard.checkpoint.store import CheckpointStore
from runyard.config.train_args import Checkpoint
from runyard.errors import CheckpointError, StorageError
from runyard.training import checkpoints
from runyard.training.checkpoints import Checkpoints


class _Run:
    def __init__(self, directory: Path, *, shape: int = 3, **config: Any) -> None:
        self.weights = tf.Variable(tf.zeros([shape]))
        self.published: list[str] = []
        self.checkpoints = Checkpoints(
            directory,
            config=Checkpoint(**{"every_steps": 1, **config}),
            parts={"model": VariableState({"w": self.weights})},
            published=lambda path: self.published.append(path.name[-2:]),
        )

    def step_to(self, step: int) -> None:
        self.weights.assign(tf.fill(self.weights.shape, float(step)))
        self.save_if_due(step)

    def save_if_due(self, step: int, *, epochs_done: int | None = None) -> None:
        if self.checkpoints.due(step=step, epochs_done=epochs_done):
            self.checkpoints.begin(step=step, epochs_done=epochs_done)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    for name in ("say", "note"):
        monkeypatch.setattr(checkpoints, name, lines.append)
    return lines


@pytest.fixture
def slow_writing(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    go = threading.Event()
    write = CheckpointStore.write

    def wait_and_write(self: CheckpointStore, *args: Any, **options: Any) -> Path:
        assert go.wait(10)
        return write(self, *args, **options)

    monkeypatch.setattr(CheckpointStore, "write", wait_and_write)
    return go


def test_a_run_goes_on_from_the_newest_checkpoint(tmp_path: Path) -> None:
    first = _Run(tmp_path)
    assert first.checkpoints.restore() is None
    first.step_to(7)
    first.checkpoints.wait()
    second = _Run(tmp_path)
    assert second.checkpoints.restore() == 7
    assert second.weights.numpy().tolist() == [7.0] * 3


def test_one_that_is_due_while_the_last_is_being_written_is_left_out_and_logged(
    tmp_path: Path, said: list[str], slow_writing: threading.Event
) -> None:
    run = _Run(tmp_path)
    run.step_to(1)
    run.step_to(2)
    assert said == ["checkpoint at step 2 left out: the last one is still being written"]
    slow_writing.set()
    run.checkpoints.wait()
    run.step_to(3)
    run.checkpoints.wait()
    assert run.published == ["01", "03"]
    assert _Run(tmp_path).checkpoints.restore() == 3


def test_the_last_state_is_saved_even_if_its_checkpoint_was_left_out(
    tmp_path: Path, said: list[str], slow_writing: threading.Event
) -> None:
    run = _Run(tmp_path)
    run.step_to(1)
    run.step_to(2)
    slow_writing.set()
    run.checkpoints.finish(step=2, epochs_done=1)
    restored = _Run(tmp_path)
    assert restored.checkpoints.restore() == 2
    assert restored.weights.numpy().tolist() == [2.0] * 3


def test_the_last_state_is_not_written_twice(tmp_path: Path) -> None:
    run = _Run(tmp_path, every_epochs=1)
    run.save_if_due(5, epochs_done=1)
    run.checkpoints.finish(step=5, epochs_done=1)
    assert run.published == ["05"]


def test_a_full_disk_ends_the_loop_with_one_clear_line_and_the_last_good_one_stays(
    mounted: Callable[[str], Path],
) -> None:
    disk = mounted("size=1m")
    run = _Run(disk, shape=100_000)
    run.step_to(1)
    run.checkpoints.wait()
    run.step_to(2)
    run.checkpoints.wait()
    with pytest.raises(StorageError, match=r"^cannot write checkpoint .*: No space left on device$"):
        run.step_to(3)
        run.checkpoints.wait()
    run.checkpoints.abandon()
    restored = _Run(disk, shape=100_000)
    assert restored.checkpoints.restore() == 2
    assert set(restored.weights.numpy()) == {2.0}


def test_a_failure_in_the_background_is_raised_by_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run = _Run(tmp_path / "file")
    run.step_to(1)
    run.checkpoints.abandon()
    with pytest.raises(StorageError, match="Not a directory: "):
        run.step_to(2)


def test_a_checkpoint_of_another_model_is_refused_and_nothing_is_overwritten(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    run.step_to(1)
    run.checkpoints.wait()
    other = _Run(tmp_path, shape=4)
    with pytest.raises(CheckpointError, match=r"changed: model/w was \(3,\) float32, is \(4,\) float32"):
        other.checkpoints.restore()
    assert other.weights.numpy().tolist() == [0.0] * 4
    assert _Run(tmp_path).checkpoints.restore() == 1


def test_a_damaged_one_is_passed_over_with_a_note(tmp_path: Path, said: list[str]) -> None:
    run = _Run(tmp_path)
    for step in (1, 2):
        run.step_to(step)
        run.checkpoints.wait()
    (tmp_path / "step-000000000002" / "manifest.json").write_text("{")
    assert _Run(tmp_path).checkpoints.restore() == 1
    assert [line.startswith(f"checkpoint {tmp_path / 'step-000000000002'} is damaged") for line in said] == [True]
