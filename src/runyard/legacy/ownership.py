"""Whose code imports TensorFlow: the program's, or a library's."""

import sysconfig
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_INSTALLED = frozenset({"site-packages", "dist-packages"})


@cache
def is_library_file(file: str) -> bool:
    """Whether a file belongs to Python, to an installed package or to an installed command."""
    path = Path(file).absolute()
    if not _INSTALLED.isdisjoint(path.parts):
        return True
    own = Path(__file__).parents[1]
    folders = (own, own.with_name("moxing"), sysconfig.get_path("stdlib"), sysconfig.get_path("scripts"))
    return any(path.is_relative_to(folder) for folder in folders)


def is_users_code(importer: Mapping[str, Any] | None, *, packages: frozenset[str]) -> bool:
    """Whether the globals of a module are those of the program.

    Args:
        packages: packages that are the program's although they are installed: those that it was started from.
    """
    names = importer or {}
    name, package, file = (names.get(key) for key in ("__name__", "__package__", "__file__"))
    if any(isinstance(part, str) and part.split(".")[0] in packages for part in (name, package)):
        return True
    # What imports without a file is typed in by the user, or a library in C.
    return not is_library_file(file) if isinstance(file, str) else name == "__main__"
