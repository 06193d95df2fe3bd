"""Nothing is half written: what has its final name is whole and on the disk."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runyard.errors import StorageError


def write_text(path: Path, text: str) -> None:
    """Replaces a file in one go."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(path.parent)


def write_json(path: Path, data: Any) -> None:
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def publish_directory(temporary: Path, final: Path) -> None:
    """Gives a finished directory its name. An older one of that name is replaced; it is gone only for an instant."""
    with storage_errors(final):
        sync_tree(temporary)
        if final.exists():
            aside = final.with_name(f".{final.name}.old")
            shutil.rmtree(aside, ignore_errors=True)
            final.replace(aside)
            temporary.replace(final)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            temporary.replace(final)
        sync_directory(final.parent)


def sync_tree(directory: Path) -> None:
    """Waits until every file below is on the disk."""
    for path in directory.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        elif path.is_dir():
            sync_directory(path)
    sync_directory(directory)


def sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns what the operating system says into one clear line."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
