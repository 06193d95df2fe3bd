"""Whether the paths that `mox.run` was given can be used at all, found out before anything is built."""

import os
from pathlib import Path

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.request import RunRequest
from runyard.errors import StorageError


def check_paths(request: RunRequest) -> None:
    """Looks at `log_dir` and `checkpoint_path`.

    Raises:
        StorageError: if one is where TensorFlow cannot read and write, or training could not write to `log_dir`.
    """
    for name, path in (("log_dir", request.log_dir), ("checkpoint_path", request.checkpoint_path)):
        if path is not None and "://" in path:
            _check_scheme(name, path)
        elif path is not None and name == "log_dir" and request.is_training:
            _check_local(Path(path))


def _check_scheme(name: str, path: str) -> None:
    try:
        tf.gfile.Exists(path)
    except tf.errors.UnimplementedError:
        raise StorageError(
            f"`{name}` of mox.run is {path}, and {path.partition('://')[0]}:// paths cannot be read or written here",
            hint="this version works on local paths: give a local folder",
        ) from None
    except tf.errors.OpError as error:
        raise StorageError(f"`{name}` of mox.run is {path}, which cannot be reached: {error.message}") from None


def _check_local(log_dir: Path) -> None:
    """The folder may not be there yet, but it must be possible to make it."""
    there = next((path for path in (log_dir, *log_dir.absolute().parents) if os.path.lexists(path)), Path("/"))
    if not there.is_dir():
        is_link = " a link to nowhere" if there.is_symlink() else " a file"
        raise StorageError(f"`log_dir` of mox.run is {log_dir}, but {there} is{is_link}", hint="give a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise StorageError(
            f"`log_dir` of mox.run is {log_dir}, but {there} cannot be written to", hint="give another folder"
        )
