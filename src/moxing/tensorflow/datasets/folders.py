"""Directories of a dataset: what is in them, and where it is read from."""

from collections.abc import Sequence

from moxing.framework import file
from moxing.framework.file.stores import Url, as_text
from moxing.tensorflow.datasets.failures import WrongData

_JUNK = frozenset({"Thumbs.db", "desktop.ini"})
_SHOWN = 5


def checked_folder(url: Url, *, what: str) -> str:
    """The directory as text, without a / at its end.

    Raises:
        WrongData: if there is none.
    """
    path = as_text(url)
    if not file.is_directory(path):
        kind = "is a file" if file.exists(path) else "does not exist"
        raise WrongData(f"{what} {path} {kind}", hint="give the directory of the dataset")
    return path.rstrip("/") or "/"


def names_in(folder: str, *, folders: bool = False) -> list[str]:
    """The files (or the directories) in a directory, in alphabetical order; hidden ones and a system's own left out."""
    names = file.list_directory(folder, skip_file=folders, skip_dir=not folders)
    return [name for name in names if not name.startswith(".") and name not in _JUNK]


def some(names: Sequence[str]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
