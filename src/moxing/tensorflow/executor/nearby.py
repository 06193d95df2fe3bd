"""What is near a path where no checkpoint is: what the person may have meant."""

import difflib
import os
import re
from collections.abc import Iterator

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

_MOST = 3


def told_nearby(path: str) -> str:
    """Checkpoints in the folder, or names like the one that is missing; empty if nothing is like it."""
    for missing, folder in _missing_parts(path):
        if folder and not tf.gfile.IsDirectory(folder):
            continue
        names = [name.rstrip("/") for name in tf.gfile.ListDirectory(folder or ".")]
        checkpoints = [name.removesuffix(".index") for name in names if name.endswith(".index")]
        folders = [name for name in names if tf.gfile.IsDirectory(os.path.join(folder, name))]  # noqa: PTH118 - an address
        found = difflib.get_close_matches(missing, [*checkpoints, *folders], n=_MOST) if missing else []
        found = found or sorted(checkpoints, key=_number)[-_MOST:]
        return f"in {folder or 'this folder'} there is {', '.join(found)}" if found else ""
    return ""


def _missing_parts(path: str) -> Iterator[tuple[str, str]]:
    """What is missing below a folder that may be there, from the whole path on upwards."""
    yield "", path
    while path:
        path, missing = os.path.split(path.rstrip("/"))
        yield missing, path
        if path == "/":
            return


def _number(name: str) -> int:
    found = re.search(r"-(\d+)$", name)
    return int(found.group(1)) if found else -1
