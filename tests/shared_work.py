"""Work that several tests look at is done once, also where tests run in several processes."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def done_once(name: str, work: Callable[[Path], object], *, factory: pytest.TempPathFactory) -> Path:
    """The folder in which `work` has left its results: the first process that asks does it, others wait for it.

    Args:
        work: gets the folder, which is empty.
    """
    base = factory.getbasetemp()
    common = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, done = common / name, common / f"{name}.done"
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir()
            work(folder)
            done.touch()
    return folder
