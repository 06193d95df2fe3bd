"""The folders of exported models: `log_dir/<version>`."""

import errno
import operator
import os
from pathlib import Path

from moxing.tensorflow.executor.failures import WrongValue
from runyard.checkpoint.durable import storage_errors, sync_directory, sync_tree
from runyard.errors import StorageError

_NEXT = -1
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class ExportDirectoryExists(StorageError, AssertionError):
    """There is a model of that version already."""


def checked_version(version: object) -> int | str:
    """The version, if it can be the name of a folder.

    Raises:
        WrongValue: a ValueError, if it cannot.
    """
    if isinstance(version, str) and version not in ("", ".", "..") and "/" not in version:
        return version
    if not isinstance(version, bool | str):
        try:
            number = operator.index(version)  # pyright: ignore[reportArgumentType]
        except TypeError:
            number = _NEXT - 1
        if number >= _NEXT:
            return number
    raise WrongValue(
        f"version={version!r} of ExportSpec", hint="give a number from 0 on, -1 for the next one, or a name"
    )


def refuse_taken(log_dir: Path, version: int | str) -> None:
    """Looks whether that version is free; the next one always is.

    Raises:
        ExportDirectoryExists: an AssertionError, if it is not.
    """
    if version != _NEXT and (log_dir / str(version)).exists():
        raise ExportDirectoryExists(
            f"Export directory already exists. Please specify a different export directory: {log_dir / str(version)}",
            hint="ExportSpec(..., version=-1) takes the next free number",
        )


def publish(model: Path, *, log_dir: Path, version: int | str) -> Path:
    """Gives a finished model its folder, in one rename: that of its version, or the next number.

    Raises:
        ExportDirectoryExists: an AssertionError, if it is there already.
        StorageError: if it cannot be renamed.
    """
    if version == _NEXT:
        from runyard.models.versions import publish_version  # it takes a second that only exports need

        return publish_version(model, base=log_dir)
    folder = log_dir / str(version)
    refuse_taken(log_dir, version)
    with storage_errors(folder):
        sync_tree(model)
        try:
            os.rename(model, folder)  # noqa: PTH104
        except OSError as error:
            if error.errno in _TAKEN:
                refuse_taken(log_dir, version)
            raise
        sync_directory(log_dir)
    return folder
