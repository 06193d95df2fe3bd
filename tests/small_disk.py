"""A real disk that is really small."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(path: Path, *, megabytes: int) -> Iterator[Path]:
    """A file system of that size at the path, while the block runs."""
    path.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let tests mount a file system")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
