import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

from runyard.checkpoint import durable
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore, SavedCheckpoint, begin_anew, refuse_orphans
from runyard.errors import CheckpointError, StorageError


def _snapshot(step: int) -> Snapshot:
    return Snapshot({"model/w": tf.fill([50], float(step))}, {"fit": {"step": step}})


def _store(directory: Path, *steps: int, keep: int = 3) -> CheckpointStore:
    store = CheckpointStore(directory, keep=keep)
    for step in steps:
        store.write(_snapshot(step), step=step)
    return store


def _path(directory: Path, step: int) -> Path:
    return directory / f"step-{step:012d}"


def _found(store: CheckpointStore) -> SavedCheckpoint:
    found = store.newest(warn=lambda text: pytest.fail(text))
    assert found is not None
    return found


def _names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_the_newest_is_found_with_its_tensors_and_values(tmp_path: Path) -> None:
    found = _found(_store(tmp_path / "new", 10, 20))
    assert (found.step, found.values) == (20, {"fit": {"step": 20}})
    assert found.tensors == {"model/w": {"dtype": "float32", "shape": [50]}}
    assert found.load().tensors["model/w"].numpy().tolist() == [20.0] * 50


def test_without_checkpoints_there_is_none(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "nowhere", keep=1)
    assert store.newest(warn=lambda text: pytest.fail(text)) is None
    assert not store.any()


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    _store(tmp_path, 1, 2, 3, 4, keep=2)
    assert _names(tmp_path) == [_path(tmp_path, 3).name, _path(tmp_path, 4).name]


def test_steps_of_any_length_are_in_order(tmp_path: Path) -> None:
    assert _found(_store(tmp_path, 999_999_999_999, 1_000_000_000_000)).step == 1_000_000_000_000


def test_the_same_step_can_be_written_twice(tmp_path: Path) -> None:
    store = _store(tmp_path, 1, 5)
    store.write(Snapshot({"model/w": tf.zeros([2])}, {"again": True}), step=5)
    assert _found(store).values == {"again": True}
    assert _names(tmp_path) == [_path(tmp_path, 1).name, _path(tmp_path, 5).name]


def test_every_kind_of_tensor_comes_back_as_it_was(tmp_path: Path) -> None:
    tensors = {
        "string": tf.constant([b"a", b"", b"\x00\xff"]),
        "bool": tf.constant([True, False]),
        "half": tf.constant([1.5, float("inf")], tf.float16),
        "brain": tf.constant([1.5], tf.bfloat16),
        "double": tf.constant([[0.1], [-0.0]], tf.float64),
        "int64": tf.constant(2**62, tf.int64),
        "uint8": tf.constant([255], tf.uint8),
        "uint64": tf.constant([2**64 - 1], tf.uint64),
        "complex": tf.constant([1 + 2j]),
        "empty": tf.zeros([0, 3]),
        "no strings": tf.constant([], tf.string),
        "scalar": tf.constant(3.0),
        "ä/name with: odd\nletters": tf.constant(1),
    }
    values = {"float": 0.1 + 0.2, "large": 2**70, "none": None, "list": [1, {"ü": "数"}], "inf": float("inf")}
    CheckpointStore(tmp_path, keep=1).write(Snapshot(tensors, values), step=0)
    loaded = _found(CheckpointStore(tmp_path, keep=1)).load()
    assert loaded.values == values
    assert list(loaded.tensors) == list(tensors)
    for name, tensor in tensors.items():
        back = loaded.tensors[name]
        assert (back.dtype, back.shape) == (tensor.dtype, tensor.shape), name
        assert back.numpy().tobytes() == tensor.numpy().tobytes() or tensor.dtype == tf.string
        assert back.numpy().tolist() == tensor.numpy().tolist()


def test_the_state_of_an_iterator_comes_back(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(10).shuffle(10, seed=1)
    iterator = iter(dataset)
    next(iterator)
    state = gen_dataset_ops.serialize_iterator(iterator._iterator_resource)
    rest = [int(number) for number in iterator]
    CheckpointStore(tmp_path, keep=1).write(Snapshot({"data/iterator": state}), step=1)
    loaded = _found(CheckpointStore(tmp_path, keep=1)).load()
    again = iter(dataset)
    gen_dataset_ops.deserialize_iterator(again._iterator_resource, loaded.tensors["data/iterator"])
    assert [int(number) for number in again] == rest


def test_a_snapshot_without_tensors_is_a_checkpoint(tmp_path: Path) -> None:
    CheckpointStore(tmp_path, keep=1).write(Snapshot({}, {"a": 1}), step=1)
    assert _found(CheckpointStore(tmp_path, keep=1)).load() == Snapshot({}, {"a": 1})


def _flip(path: Path, *, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def _data_file(checkpoint: Path) -> Path:
    return next(checkpoint.glob("tensors.data*"))


_DAMAGES: dict[str, Callable[[Path], Any]] = {
    "a flipped bit in the tensors": lambda path: _flip(_data_file(path), place=100),
    "a flipped bit in the index": lambda path: _flip(path / "tensors.index", place=10),
    "truncated tensors": lambda path: _data_file(path).write_bytes(_data_file(path).read_bytes()[:-1]),
    "missing tensors": lambda path: _data_file(path).unlink(),
    "a missing index": lambda path: (path / "tensors.index").unlink(),
    "a garbage manifest": lambda path: (path / "manifest.json").write_bytes(b"\xff{"),
    "an empty manifest": lambda path: (path / "manifest.json").write_text(""),
    "another manifest": lambda path: (path / "manifest.json").write_text("[1]"),
    "a manifest of nothing": lambda path: (path / "manifest.json").write_text('{"format": 1, "step": 30}'),
    "a manifest of the future": lambda path: (path / "manifest.json").write_text('{"format": 2}'),
    "a deep manifest": lambda path: (path / "manifest.json").write_text("[" * 100_000),
    "a missing manifest": lambda path: (path / "manifest.json").unlink(),
    "a value changed in the manifest": lambda path: (path / "manifest.json").write_text(
        (path / "manifest.json").read_text().replace('"step": 30', '"step": 31')
    ),
    "a file in its place": lambda path: (shutil.rmtree(path), path.touch()),
}


@pytest.mark.parametrize("damage", _DAMAGES.values(), ids=_DAMAGES.keys())
def test_a_damaged_one_is_told_of_and_the_one_before_is_used(tmp_path: Path, damage: Callable[[Path], Any]) -> None:
    store = _store(tmp_path, 10, 20, 30)
    damage(_path(tmp_path, 30))
    warnings: list[str] = []
    found = store.newest(warn=warnings.append)
    assert found is not None
    assert found.step == 20
    assert found.load().tensors["model/w"].numpy().tolist() == [20.0] * 50
    assert len(warnings) == 1
    assert warnings[0].startswith(f"checkpoint {_path(tmp_path, 30)} is damaged and passed over: ")
    assert "\n" not in warnings[0]
    assert len(warnings[0]) < 300


def test_any_flipped_byte_of_a_manifest_is_noticed(tmp_path: Path) -> None:
    store = _store(tmp_path, 30)
    manifest = _path(tmp_path, 30) / "manifest.json"
    whole = manifest.read_bytes()
    meaning = json.loads(whole)
    for place in range(0, len(whole), 7):
        _flip(manifest, place=place)
        found = store.newest(warn=lambda _: None)
        # White space and an escape may be written in two ways.
        assert found is None or {**found.manifest, "digest": meaning["digest"]} == meaning
        manifest.write_bytes(whole)


def test_when_all_are_damaged_the_run_starts_over_and_says_so(tmp_path: Path) -> None:
    store = _store(tmp_path, 10, 20)
    for step in (10, 20):
        (_path(tmp_path, step) / "manifest.json").unlink()
    warnings: list[str] = []
    assert store.newest(warn=warnings.append) is None
    assert [str(_path(tmp_path, 20)) in warnings[0], str(_path(tmp_path, 10)) in warnings[1]] == [True, True]
    assert warnings[2] == f"no checkpoint in {tmp_path} is whole: the run starts over"


def test_a_run_that_went_back_behind_a_damaged_one_keeps_its_new_ones(tmp_path: Path) -> None:
    store = _store(tmp_path, 20, 30, keep=2)
    (_path(tmp_path, 30) / "manifest.json").unlink()
    store.write(_snapshot(25), step=25)
    assert _found(store).step == 25
    assert _names(tmp_path) == [_path(tmp_path, 20).name, _path(tmp_path, 25).name]


def test_what_killed_runs_left_is_not_read_and_is_removed_by_the_next_write(tmp_path: Path) -> None:
    store = _store(tmp_path, 10)
    shutil.copytree(_path(tmp_path, 10), tmp_path / ".step-000000000020.tmp")
    shutil.copytree(_path(tmp_path, 10), tmp_path / ".step-000000000010.old")
    assert _found(store).path == _path(tmp_path, 10)
    store.write(_snapshot(30), step=30)
    assert _names(tmp_path) == [_path(tmp_path, 10).name, _path(tmp_path, 30).name]


def test_one_that_was_moved_aside_for_a_successor_is_found(tmp_path: Path) -> None:
    store = _store(tmp_path, 10, 20)
    _path(tmp_path, 20).rename(tmp_path / ".step-000000000020.old")
    assert _found(store).step == 20
    assert store.any()
    store.write(_snapshot(30), step=30)
    assert _names(tmp_path) == [_path(tmp_path, step).name for step in (10, 20, 30)]


def test_other_files_in_the_directory_are_left_alone(tmp_path: Path) -> None:
    for name in ("my-step-by-step", "step-by-step", "step-000000000099.bak"):
        (tmp_path / name).mkdir()
    store = _store(tmp_path, 1, 2, keep=1)
    assert _found(store).step == 2
    store.clear()
    assert _names(tmp_path) == ["my-step-by-step", "step-000000000099.bak", "step-by-step"]


def test_checkpoints_without_a_record_are_removed_only_when_asked(tmp_path: Path) -> None:
    _store(tmp_path, 1)
    with pytest.raises(CheckpointError, match="no record of their run"):
        refuse_orphans(tmp_path, fresh=False)
    refuse_orphans(tmp_path, fresh=True)
    begin_anew(tmp_path)
    assert _names(tmp_path) == []
    refuse_orphans(tmp_path, fresh=False)


def test_a_full_disk_is_one_clear_line_and_the_last_good_one_stays(mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=1m")
    store = _store(disk, 10)
    for size in (10_000_000, 258_000):
        with pytest.raises(StorageError) as caught:
            store.write(Snapshot({"w": tf.ones([size])}), step=20)
        assert str(caught.value) == f"cannot write checkpoint {_path(disk, 20)}: No space left on device"
        assert _names(disk) == [_path(disk, 10).name]
    assert _found(store).step == 10
    store.write(_snapshot(30), step=30)
    assert _found(store).step == 30


def test_a_read_only_disk_is_one_clear_line(mounted: Callable[[str], Path]) -> None:
    disk = mounted("size=1m")
    store = _store(disk, 10)
    mounted("remount,ro")
    with pytest.raises(StorageError) as caught:
        store.write(_snapshot(20), step=20)
    assert str(caught.value) == f"cannot write checkpoint {_path(disk, 20)}: Read-only file system"
    assert _found(store).step == 10


def test_a_directory_that_vanished_is_one_clear_line(tmp_path: Path) -> None:
    store = _store(tmp_path / "runs", 10)
    shutil.rmtree(tmp_path / "runs")
    with pytest.raises(StorageError, match=r"^cannot write checkpoint .*: No such file or directory"):
        store.write(_snapshot(20), step=20)
    assert not (tmp_path / "runs").exists()


def test_a_directory_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"^cannot write checkpoint .*: Not a directory: .*/file$"):
        _store(tmp_path / "file" / "runs", 10)


def test_a_directory_that_vanishes_while_it_is_written_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = _store(tmp_path / "runs", 10)
    monkeypatch.setattr(durable, "sync_tree", lambda _: shutil.rmtree(tmp_path / "runs"))
    with pytest.raises(StorageError, match=r"^cannot write .*step-000000000020: No such file or directory$"):
        store.write(_snapshot(20), step=20)


_FORK_WRITERS = """
import os, sys
from pathlib import Path
from runyard.bridge import start_tensorflow
start_tensorflow(2)
import tensorflow as tf
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore

def write_forever(step):
    store = CheckpointStore(Path(sys.argv[1]), keep=2)
    while True:
        step += 1
        same = tf.fill([20000], step)
        for _ in range(2):
            store.write(Snapshot({"a": same, "b": tf.identity(same)}, {"step": step}), step=step)

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        write_forever(int(line))
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("ended", flush=True)
"""


@pytest.mark.slow
def test_whenever_a_run_is_killed_its_newest_checkpoint_is_consistent(
    tmp_path: Path, start_child: Callable[..., Any]
) -> None:
    store = CheckpointStore(tmp_path, keep=2)
    # One process imports TensorFlow, without starting it, and each round is a copy of that process.
    parent = start_child(_FORK_WRITERS, tmp_path)
    last = 0
    for _ in range(20):
        print(last, file=parent.stdin, flush=True)
        writer = int(parent.stdout.readline())
        _wait_for_a_step_after(last, tmp_path)
        time.sleep(random.uniform(0.0, 0.3))
        os.kill(writer, signal.SIGKILL)
        assert parent.stdout.readline() == "ended\n"
        found = store.newest(warn=lambda text: pytest.fail(text))
        if found is not None:
            tensors = found.load().tensors
            assert set(tensors["a"].numpy()) == set(tensors["b"].numpy()) == {found.step} == {found.values["step"]}
            assert found.step >= last
            last = found.step
    assert last >= 20


def _wait_for_a_step_after(last: int, directory: Path) -> None:
    for _ in range(600):
        if any(int(path.name.removeprefix("step-")) > last for path in directory.glob("step-????????????")):
            return
        time.sleep(0.05)
    pytest.fail("the writer writes nothing")
