"""Where files are read from: where they are, from another directory, or from a copy on the local disk."""

import atexit
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from moxing.framework import file
from moxing.framework.file.stores import is_remote
from moxing.tensorflow.datasets.failures import WrongArgument
from moxing.tensorflow.executor.lines import lines_shown, log_line

_FROM_ENVIRONMENT = "ENV"
_VARIABLE = "DLS_LOCAL_CACHE_PATH"


def readable_files(
    names: Sequence[str], *, folder: str, cache_dir: str | None, remove_cache_on_finish: bool
) -> list[str]:
    """Paths that TensorFlow can read.

    Args:
        names: relative to `folder`.
        cache_dir: copy the files below this directory first; "ENV": that of $DLS_LOCAL_CACHE_PATH. None: read them
            where they are; files in object stores are copied below the system's directory for temporary files.
        remove_cache_on_finish: delete the copies when the process ends; otherwise the next run finds them.
    """
    if cache_dir is None:
        if not is_remote(folder):
            return [f"{folder.rstrip('/')}/{name}" for name in names]
        cache_dir = tempfile.gettempdir()
    copy = _copy_folder(folder, _checked(cache_dir), shared=not remove_cache_on_finish)
    if remove_cache_on_finish:
        atexit.register(_remove, str(copy))
    missing = [name for name in names if not _is_copied(folder, copy, name)]
    with lines_shown():
        log_line(f"Caching {len(missing)} of {len(names)} files of {folder} in {copy}")
    if missing:
        file.copy_parallel(folder, str(copy), file_list=missing, is_processing=False)
    return [str(copy / name) for name in names]


def _checked(cache_dir: str) -> str:
    if cache_dir != _FROM_ENVIRONMENT:
        return cache_dir
    found = os.environ.get(_VARIABLE)
    if not found:
        raise WrongArgument(
            f"cache_dir is 'ENV', and ${_VARIABLE} is not set", hint="set it to a directory, or give one as cache_dir"
        )
    return found


def _copy_folder(folder: str, cache_dir: str, *, shared: bool) -> Path:
    """One for each dataset; a copy that is deleted at the end belongs to this process alone."""
    digest = hashlib.sha256(folder.encode()).hexdigest()[:12]
    return Path(cache_dir).absolute() / (f"mox_{digest}" if shared else f"mox_{digest}_{os.getpid()}")


def _is_copied(folder: str, copy: Path, name: str) -> bool:
    """Whether a copy is there that is as long as the original and not older."""
    if not (copy / name).is_file():
        return False
    here, there = (copy / name).stat(), file.stat(f"{folder.rstrip('/')}/{name}")
    return here.st_size == there.length and here.st_mtime_ns >= there.mtime_nsec


def _remove(folder: str) -> None:
    if file.exists(folder):
        file.remove(folder, recursive=True)
