"""Processes that begin with TensorFlow imported: what takes most of the time of a short one, and is the same for all.

`WarmPopen` is `subprocess.Popen` for commands of this Python (`-m module ...` or `-c code ...`). They run in copies
of a process that has imported TensorFlow and has not used it, so that no thread of it runs yet. Processes whose start
is what a test is about are started with `subprocess` as always.
"""

import atexit
import ctypes
import functools
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_NUMBER = struct.Struct("i")
_MOST_BYTES = 1 << 20
_MOST_FILES = 1024
_DIE_WITH_PARENT = 1


class WarmPopen(subprocess.Popen):  # type: ignore[type-arg]
    """A process, as `subprocess` would start it with `[sys.executable, *arguments]`."""

    _status = -1

    def _execute_child(self, *given: Any) -> None:
        arguments, _, _, _, _, cwd, env, _, _, _, *pipes, _, _, _, _, _, new_session, _ = given
        reads_from, _, _, writes_to, _, complains_to = pipes
        self._status, status = os.pipe()
        streams = [own if other == -1 else other for own, other in enumerate((reads_from, writes_to, complains_to))]
        request = {
            "arguments": [str(word) for word in arguments],
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "new_session": new_session,
        }
        socket.send_fds(_server(), [json.dumps(request).encode()], [*streams, status])
        os.close(status)
        self._close_pipe_fds(*pipes)
        (self.pid,) = _NUMBER.unpack(os.read(self._status, _NUMBER.size))
        self._child_created = True

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self._wait(timeout=0, fail=False)

    def _wait(self, timeout: float | None, *, fail: bool = True) -> int | None:
        if self.returncode is None and not select.select([self._status], [], [], timeout)[0]:
            if fail:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            return None
        if self.returncode is None:
            (ended,) = _NUMBER.unpack(os.read(self._status, _NUMBER.size))
            self.returncode = os.waitstatus_to_exitcode(ended)
            os.close(self._status)
        return self.returncode


def run_warm(arguments: list[str], *, timeout: float = 120, **options: Any) -> "subprocess.CompletedProcess[str]":
    """As `subprocess.run`, with what it says as text."""
    with WarmPopen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@functools.cache
def _server() -> socket.socket:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (here, there):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST_BYTES)
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", str(there.fileno())],
        cwd=_ROOT,
        pass_fds=[there.fileno()],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    there.close()
    atexit.register(child.wait)
    atexit.register(here.close)
    return here


def _serve(requests: socket.socket) -> None:
    """Answers until the other end closes. A copy returns from here, to run its command."""
    while True:
        text, streams, _, _ = socket.recv_fds(requests, _MOST_BYTES, 4)
        if not text:
            sys.exit()
        if os.fork() == 0:
            requests.close()
            _begin(json.loads(text), *streams)
            return
        for stream in streams:
            os.close(stream)


def _begin(request: dict[str, Any], reads_from: int, writes_to: int, complains_to: int, status: int) -> None:
    """Leaves a process behind that tells how the command ends, and becomes the one that runs it."""
    for number in (signal.SIGCHLD, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    child = os.fork()
    if child:
        os.closerange(0, status)
        os.closerange(status + 1, _MOST_FILES)
        os.write(status, _NUMBER.pack(child))
        os.write(status, _NUMBER.pack(os.waitpid(child, 0)[1]))
        os._exit(0)
    if request["new_session"]:
        os.setsid()
    for number, stream in enumerate((reads_from, writes_to, complains_to)):
        os.dup2(stream, number)
    os.closerange(3, _MOST_FILES)
    os.chdir(request["folder"])
    chosen = os.environ["TF_USE_LEGACY_KERAS"]
    os.environ.clear()
    os.environ.update(request["environment"], TF_USE_LEGACY_KERAS=chosen)
    sys.argv[1:] = request["arguments"]


def _run() -> None:
    kind, what, *arguments = sys.argv[1:]
    sys.path[0] = str(Path.cwd())
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    from runyard.bridge import start_tensorflow

    start_tensorflow(2)
    importlib.import_module("runyard.runner.train")

    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run()
