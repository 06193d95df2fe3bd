"""The modules under test import TensorFlow at their top, so it starts before the first of them is imported."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runyard.bridge import start_tensorflow

start_tensorflow(2)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a small disk of its own, with the options given. `remount,ro` changes the last one."""
    place = tmp_path / "disk"
    place.mkdir()
    done = False

    def mount(options: str) -> Path:
        nonlocal done
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(place)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("this test mounts a disk, which takes root")
        done = True
        return place

    yield mount
    if done:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def start_child() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts Python processes, and ends those that are left."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()
