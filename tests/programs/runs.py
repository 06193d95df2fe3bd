"""Starts `runyard run` as a user does."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path


def write(folder: Path, **files: str) -> None:
    """Writes Python files; `pkg__mod` is `pkg/mod.py`."""
    for name, text in files.items():
        path = folder.joinpath(*name.split("__", 1)).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def runyard(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runyard", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", **environment},
        timeout=240,
        check=False,
    )
