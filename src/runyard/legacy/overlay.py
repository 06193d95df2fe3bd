"""A module as the program sees it: another module with some names changed."""

import types
from collections.abc import Callable, Iterable
from typing import Any


class Overlay(types.ModuleType):
    """Looks each name up once and keeps it.

    Args:
        find: gives a name, or raises AttributeError.
        listing: the names that `dir` and `import *` give.
    """

    def __init__(self, name: str, *, find: Callable[[str], Any], listing: Callable[[], Iterable[str]] = tuple) -> None:
        super().__init__(name)
        self.__path__ = []
        self._find = find
        self._listing = listing

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [public for public in self._listing() if not public.startswith("_")]
        value = self._find(name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*self._listing(), *vars(self)})
