"""Groups of small Python programs, and a look for processes that they leave behind."""

import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.groups import Groups


def _carrying(mark: str) -> list[str]:
    """Command lines of living processes that inherited the mark."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and int(folder.name) != os.getpid():
                alive = (folder / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
                if alive and mark.encode() in (folder / "environ").read_bytes():
                    found.append(f"{folder.name} {(folder / 'cmdline').read_bytes().decode()}")
        except OSError:
            continue
    return found


def wait_until(is_true: Callable[[], bool]) -> bool:
    """Waits until something is true, for five seconds at most."""
    deadline = time.monotonic() + 5
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def living(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """The processes that this test has started and that live; none may be left at its end, and no open file."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("RUNYARD_TEST", mark)
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    yield lambda: _carrying(mark)
    assert wait_until(lambda: not _carrying(mark)), _carrying(mark)
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


@pytest.fixture
def groups(tmp_path: Path, living: Callable[[], list[str]]) -> Iterator[Groups]:
    made = Groups(tmp_path)
    yield made
    made.end()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], bool]:
    return wait_until
