import threading
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from runyard.checkpoint.state import Snapshot, VariableState, take_snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.checkpoint.writer import BackgroundWriter
from runyard.errors import StorageError


class _SlowStore(CheckpointStore):
    """Waits for a sign before it writes."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, keep=3)
        self.go = threading.Event()
        self.failure: Exception | None = None

    def write(self, snapshot: Snapshot, *, step: int) -> Path:
        assert self.go.wait(10)
        if self.failure is not None:
            raise self.failure
        return super().write(snapshot, step=step)


def _writer(store: CheckpointStore) -> tuple[BackgroundWriter, list[int]]:
    written: list[int] = []
    return BackgroundWriter(store, written=lambda path, step: written.append(step)), written


def test_it_is_busy_until_the_checkpoint_is_published(tmp_path: Path) -> None:
    store = _SlowStore(tmp_path)
    writer, written = _writer(store)
    assert not writer.busy
    writer.submit(Snapshot({}), step=1)
    assert writer.busy
    assert written == []
    store.go.set()
    writer.wait()
    assert not writer.busy
    assert written == [1]


def test_the_next_waits_for_the_last(tmp_path: Path) -> None:
    store = _SlowStore(tmp_path)
    writer, written = _writer(store)
    writer.submit(Snapshot({}), step=1)
    threading.Timer(0.05, store.go.set).start()
    writer.submit(Snapshot({}), step=2)
    assert written[0] == 1
    writer.wait()
    assert written == [1, 2]


def test_what_is_written_is_the_state_at_the_time_of_the_snapshot(tmp_path: Path) -> None:
    store = _SlowStore(tmp_path)
    writer, _ = _writer(store)
    variable = tf.Variable(tf.ones([1000]))
    writer.submit(take_snapshot({"model": VariableState({"w": variable})}), step=1)
    variable.assign_add(tf.ones([1000]))
    store.go.set()
    writer.wait()
    found = store.newest(warn=pytest.fail)
    assert found is not None
    assert set(found.load().tensors["model/w"].numpy()) == {1.0}


@pytest.mark.parametrize("failure", [StorageError("no space"), RuntimeError("a bug")])
def test_a_failure_is_raised_once_in_the_thread_of_the_loop(tmp_path: Path, failure: Exception) -> None:
    store = _SlowStore(tmp_path)
    store.go.set()
    writer, written = _writer(store)
    writer.submit(Snapshot({}), step=1)
    writer.wait()
    store.failure = failure
    writer.submit(Snapshot({}), step=2)
    with pytest.raises(type(failure), match=str(failure)):
        writer.wait()
    writer.wait()
    assert written == [1]
    found = store.newest(warn=pytest.fail)
    assert found is not None
    assert found.step == 1


def test_a_failure_does_not_get_lost_when_the_next_is_submitted(tmp_path: Path) -> None:
    store = _SlowStore(tmp_path)
    store.go.set()
    store.failure = StorageError("no space")
    writer, _ = _writer(store)
    writer.submit(Snapshot({}), step=1)
    with pytest.raises(StorageError, match="no space"):
        writer.submit(Snapshot({}), step=2)


def test_joining_quietly_minds_no_failure(tmp_path: Path) -> None:
    store = _SlowStore(tmp_path)
    store.go.set()
    store.failure = StorageError("no space")
    writer, _ = _writer(store)
    writer.submit(Snapshot({}), step=1)
    writer.join_quietly()
    assert not writer.busy


def test_values_that_json_cannot_hold_are_not_lost_in_the_background(tmp_path: Path) -> None:
    value: Any = object()
    writer, _ = _writer(CheckpointStore(tmp_path, keep=1))
    writer.submit(Snapshot({}, {"x": value}), step=1)
    with pytest.raises(TypeError, match="JSON"):
        writer.wait()
