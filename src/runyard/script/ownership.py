"""Which files are the user's own."""

import os
import sysconfig
from pathlib import Path

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_NOT_THE_USERS = (Path(__file__).parents[1], Path(sysconfig.get_path("stdlib")))


def is_users(file: str, *, folder: Path) -> bool:
    """Whether a file is below the user's folder and no library.

    A virtual environment in there holds libraries, and the folder of a developer may hold Runyard or Python itself.
    """
    path = Path(os.path.normpath(file))
    if not path.is_relative_to(folder) or any(path.is_relative_to(library) for library in _NOT_THE_USERS):
        return False
    return _INSTALLED.isdisjoint(path.relative_to(folder).parts)


def holds_libraries(folder: Path) -> bool:
    """Whether a folder on the import path is one that `pip` installs into."""
    return not _INSTALLED.isdisjoint(folder.parts) or any(folder.glob("*.dist-info"))
