"""`mox.file.shift('os', 'mox')`: Python's own functions for files understand URLs of stores, too."""

import builtins
import glob as glob_module
import os
import shutil
from collections.abc import Callable
from functools import wraps
from typing import Any

from moxing.framework.file import copying, directories, file_object, removing
from moxing.framework.file.stores import is_remote

_REMOTE: list[tuple[Any, str, Callable[..., Any]]] = [
    (builtins, "open", file_object.File),
    (os, "listdir", directories.list_directory),
    (os, "makedirs", lambda name, *_, **__: directories.make_dirs(name)),
    (os, "mkdir", lambda path, *_, **__: directories.mk_dir(path)),
    (os, "remove", removing.remove),
    (os, "rename", removing.rename),
    (os, "scandir", directories.scan_dir),
    (os, "stat", lambda path, **_: directories.stat(path)),
    (os, "walk", directories.walk),
    (os.path, "exists", directories.exists),
    (os.path, "getsize", directories.get_size),
    (os.path, "isdir", directories.is_directory),
    (glob_module, "glob", lambda pathname, **_: directories.glob(pathname)),
    (shutil, "copyfile", lambda src, dst, **_: copying.copy(src, dst)),
    (shutil, "copytree", lambda src, dst, **_: copying.copy_parallel(src, dst)),
    (shutil, "rmtree", lambda path, *_, **__: removing.remove(path, recursive=True)),
]
_originals: list[tuple[Any, str, Callable[..., Any]]] = []


def shift(original: str, replacement: str) -> None:
    """Lets `open`, `os`, `os.path`, `glob` and `shutil` take URLs of stores; local paths stay theirs.

    Args:
        original: "os", or "mox" to undo it.
        replacement: the other one.

    Raises:
        ValueError: for other words.
    """
    if (original, replacement) == ("os", "mox"):
        _replace()
    elif (original, replacement) == ("mox", "os"):
        _put_back()
    else:
        raise ValueError(f"shift({original!r}, {replacement!r}): shift('os', 'mox'), or shift('mox', 'os') to undo it")


def _replace() -> None:
    if _originals:
        return
    for module, name, remote in _REMOTE:
        local = getattr(module, name)
        _originals.append((module, name, local))
        setattr(module, name, _either(local, remote))


def _put_back() -> None:
    while _originals:
        setattr(*_originals.pop())


def _either(local: Callable[..., Any], remote: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(local)
    def either(*args: Any, **kwargs: Any) -> Any:
        chosen = remote if any(map(is_remote, [*args, *kwargs.values()])) else local
        return chosen(*args, **kwargs)

    return either
