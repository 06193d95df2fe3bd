"""Nothing is half written: what has its final name is whole and on the disk."""

import contextlib
import ctypes
import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runyard.errors import StorageError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_CANNOT_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM)


def write_text(path: Path, text: str) -> None:
    """Replaces a file in one go.

    Raises:
        StorageError: if it cannot be written. What was there before is untouched.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_litter(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)  # noqa: PTH105
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        sync_directory(path.parent)


def write_json(path: Path, data: Any) -> None:
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def publish_directory(temporary: Path, final: Path) -> None:
    """Gives a finished directory its name. An older one of that name is replaced.

    Where the file system can exchange two names there is always one of the two. Elsewhere the older one is moved aside
    for an instant; `put_back` finds it if the process dies in it.

    Raises:
        StorageError: if that fails. The older one is still there.
    """
    with storage_errors(final):
        sync_tree(temporary)
        put_back(final)
        if not final.exists():
            os.replace(temporary, final)  # noqa: PTH105
        elif _exchange(temporary, final):
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            _replace_in_two_steps(temporary, final)
        sync_directory(final.parent)


def aside_of(final: Path) -> Path:
    """Where a directory waits while it is being replaced."""
    return final.with_name(f".{final.name}.old")


def put_back(final: Path) -> None:
    """Undoes a replacement that was cut short, or removes what a finished one left."""
    aside = aside_of(final)
    if aside.exists():
        if final.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            os.replace(aside, final)  # noqa: PTH105


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
        raise StorageError(f"cannot write {path}: {storage_reason(error)}") from error


def storage_reason(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError) and error.filename is not None:
        # The file in the way may be any number of levels above the one that was asked for.
        asked = Path(os.fsdecode(error.filename))
        in_the_way = next((path for path in (asked, *asked.parents) if path.is_file()), asked)
        return f"Not a directory: {in_the_way}"
    return error.strerror or str(error) or type(error).__name__


def _replace_in_two_steps(temporary: Path, final: Path) -> None:
    os.replace(final, aside_of(final))  # noqa: PTH105
    try:
        os.replace(temporary, final)  # noqa: PTH105
    finally:
        put_back(final)


def _exchange(one: Path, other: Path) -> bool:
    """Swaps two names at once; False where the system or the file system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT_EXCHANGE:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _remove_litter(path: Path) -> None:
    """Removes what killed writers of this file have left."""
    for litter in path.parent.glob(f".{path.name}.*.tmp"):
        writer = litter.name.removesuffix(".tmp").rpartition(".")[2]
        if writer.isdecimal() and not is_running(int(writer)):
            with contextlib.suppress(OSError):
                litter.unlink()


def is_running(pid: int) -> bool:
    """Whether there is such a process on this machine."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
