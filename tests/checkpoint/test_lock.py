import errno
import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runyard.checkpoint import lock
from runyard.checkpoint.lock import RunLock
from runyard.errors import RunLocked, StorageError

_HOLD = """
import subprocess, sys, time
from pathlib import Path
from runyard.checkpoint.lock import RunLock
held = RunLock(Path(sys.argv[1]))
held.acquire()
{then}
print("held", flush=True)
time.sleep(60)
"""


_FORK = """
import os
ready, begun = os.pipe()
if os.fork() == 0:
    os.close(1)
    os.write(begun, b"x")
    time.sleep(30)
    os._exit(0)
os.read(ready, 1)
"""


def _write_owner(directory: Path, **owner: Any) -> None:
    (directory / "run.lock").write_text(json.dumps(owner))


def _owner(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "run.lock").read_text())


def _holder(start_child: Callable[..., Any], directory: Path, *, then: str = "") -> Any:
    child = start_child(_HOLD.format(then=then), directory)
    assert child.stdout.readline() == "held\n"
    return child


def _end(child: Any) -> None:
    child.send_signal(signal.SIGKILL)
    child.wait()


@pytest.fixture
def without_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path, start_child: Callable[..., Any]) -> None:
    child = _holder(start_child, tmp_path)
    with pytest.raises(RunLocked) as caught:
        RunLock(tmp_path).acquire()
    assert f"process {child.pid} on {socket.gethostname()}" in caught.value.message
    assert str(tmp_path) in caught.value.message
    _end(child)
    with RunLock(tmp_path):
        pass


def test_it_is_free_after_its_end_and_can_be_taken_again(tmp_path: Path) -> None:
    held = RunLock(tmp_path / "new")
    for _ in range(2):
        with held, pytest.raises(RunLocked, match=f"process {os.getpid()} "):
            RunLock(tmp_path / "new").acquire()
    with RunLock(tmp_path / "new"):
        pass


@pytest.mark.parametrize(
    "then",
    [
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'], stdout=subprocess.DEVNULL)",
        "subprocess.Popen(['sleep', '30'], close_fds=False, stdout=subprocess.DEVNULL)",
        _FORK,
    ],
    ids=["spawned", "all descriptors passed on", "forked"],
)
def test_children_that_outlive_the_owner_do_not_keep_it(
    tmp_path: Path, start_child: Callable[..., Any], then: str
) -> None:
    child = _holder(start_child, tmp_path, then=then)
    children = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    try:
        with pytest.raises(RunLocked):
            RunLock(tmp_path).acquire()
        _end(child)
        assert len(children) == 1
        assert Path(f"/proc/{children[0]}").exists()
        with RunLock(tmp_path):
            pass
    finally:
        for pid in children:
            os.kill(int(pid), signal.SIGKILL)


def test_a_fresh_heartbeat_from_another_machine_is_refused(tmp_path: Path) -> None:
    _write_owner(tmp_path, host="elsewhere", pid=7, heartbeat=time.time() - 30)
    with pytest.raises(RunLocked, match="process 7 on elsewhere"):
        RunLock(tmp_path).acquire()


@pytest.mark.parametrize("age", [90, -3600], ids=["old", "of a wrong clock"])
def test_a_dead_heartbeat_from_another_machine_is_taken_over(tmp_path: Path, age: float) -> None:
    _write_owner(tmp_path, host="elsewhere", pid=7, heartbeat=time.time() - age)
    with RunLock(tmp_path):
        assert _owner(tmp_path)["pid"] == os.getpid()


def test_the_heartbeat_is_renewed_and_ends_with_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_HEARTBEAT_SECONDS", 0.02)
    with RunLock(tmp_path):
        first = _owner(tmp_path)["heartbeat"]
        time.sleep(0.2)
        assert _owner(tmp_path)["heartbeat"] > first
    time.sleep(0.1)
    assert (tmp_path / "run.lock").read_text() == ""


@pytest.mark.parametrize("content", [b"", b"garbage", b"\xff\xfe", b"[1]", b'{"heartbeat": "x", "pid": []}'])
def test_garbage_in_the_lock_file_is_no_owner(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.lock").write_bytes(content)
    with RunLock(tmp_path):
        assert _owner(tmp_path)["pid"] == os.getpid()


def test_a_lock_file_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "run.lock").mkdir()
    with pytest.raises(StorageError, match=r"^cannot write .*run\.lock: Is a directory$"):
        RunLock(tmp_path).acquire()


@pytest.mark.usefixtures("without_flock")
def test_without_flock_the_heartbeat_decides(tmp_path: Path, start_child: Callable[..., Any]) -> None:
    child = _holder(start_child, tmp_path)
    with pytest.raises(RunLocked, match=f"process {child.pid} "):
        RunLock(tmp_path).acquire()
    _end(child)
    with RunLock(tmp_path), pytest.raises(RunLocked, match=f"process {os.getpid()} "):
        RunLock(tmp_path).acquire()
    _write_owner(tmp_path, host="elsewhere", pid=7, heartbeat=time.time())
    with pytest.raises(RunLocked, match="process 7 on elsewhere"):
        RunLock(tmp_path).acquire()
    _write_owner(tmp_path, host="elsewhere", pid=7, heartbeat=time.time() - 90)
    with RunLock(tmp_path):
        pass


def test_a_file_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flock, removals = tmp_path / "run.lock", fcntl.flock, [1, 2]

    def remove_first(*arguments: int) -> None:
        if removals:
            path.unlink()
            removals.pop()
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with RunLock(tmp_path):
        assert _owner(tmp_path)["pid"] == os.getpid()
        with pytest.raises(RunLocked):
            RunLock(tmp_path).acquire()
    removals += range(100)
    with pytest.raises(StorageError, match="removed again and again"):
        RunLock(tmp_path).acquire()
