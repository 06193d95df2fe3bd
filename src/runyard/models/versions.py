"""Numbered versions of a model, as TensorFlow Serving reads them: `DIR/1`, `DIR/2`, the largest is served."""

import contextlib
import errno
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from runyard.checkpoint.durable import is_running, storage_errors, sync_directory, sync_tree

_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)
_PREFIX = ".export"


@contextlib.contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """A directory below `folder` to write in, on the same disk; gone after the block.

    Its name says whose it is, so that what a killed export has left is removed by the next one.

    Raises:
        StorageError: if it cannot be made.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _remove_litter(folder)
        path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}.{socket.gethostname()}.{os.getpid()}.", dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def publish_version(temporary: Path, *, base: Path) -> Path:
    """Gives a finished directory the next number, in one rename; its new path.

    A rename never replaces a directory that holds something, so of two exports at the same time each gets a number.

    Raises:
        StorageError: if it cannot be renamed.
    """
    with storage_errors(base):
        sync_tree(temporary)
        number = next_version(base)
        while True:
            try:
                os.rename(temporary, base / str(number))  # noqa: PTH104
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise
                number = max(number + 1, next_version(base))
            else:
                sync_directory(base)
                return base / str(number)


def next_version(base: Path) -> int:
    """The largest number plus one. Other names than digits are not versions."""
    return max((int(name) for name in _versions(base)), default=0) + 1


def _versions(base: Path) -> Iterator[str]:
    for entry in base.iterdir():
        if entry.name.isascii() and entry.name.isdigit() and entry.is_dir():
            yield entry.name


def _remove_litter(folder: Path) -> None:
    for entry in folder.glob(f"{_PREFIX}.{socket.gethostname()}.*"):
        writer = entry.name.removeprefix(f"{_PREFIX}.{socket.gethostname()}.").partition(".")[0]
        if writer.isdecimal() and not is_running(int(writer)):
            shutil.rmtree(entry, ignore_errors=True)
