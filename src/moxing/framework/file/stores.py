"""Where files can be. A place other than the local disk plugs in here, and nowhere else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import IO, Any, Protocol

from moxing.framework.file.local_store import LocalStore
from runyard.errors import StorageError

OBJECT_STORE_SCHEMES = ("s3", "obs", "ks3", "gs")
Url = str | bytes | PathLike[str]
Walk = Iterator[tuple[str, list[str], list[str]]]


class Stat(Protocol):
    """What is known of a file or a directory."""

    @property
    def length(self) -> int: ...
    @property
    def mtime_nsec(self) -> int: ...
    @property
    def is_directory(self) -> bool: ...


class Store(Protocol):
    """What a place for files can do. Paths are those of `store_for`; what is missing is a `FileNotFoundError`."""

    def open(self, path: str, mode: str) -> IO[Any]: ...
    def write_whole(self, path: str, source: IO[bytes]) -> None: ...
    def stat(self, path: str) -> Stat: ...
    def exists(self, path: str) -> bool: ...
    def names(self, path: str) -> list[tuple[str, bool]]: ...
    def scan(self, path: str) -> Iterator[Any]: ...
    def walk(self, path: str, *, topdown: bool, onerror: Callable[..., Any] | None, followlinks: bool) -> Walk: ...
    def glob(self, pattern: str) -> list[str]: ...
    def make_directory(self, path: str) -> None: ...
    def make_directories(self, path: str) -> None: ...
    def remove_file(self, path: str) -> None: ...
    def remove_tree(self, path: str) -> None: ...
    def rename(self, path: str, to: str) -> None: ...


@dataclass(frozen=True)
class Place:
    """A path in a store."""

    store: Store
    path: str

    def within(self, relative: str) -> "Place":
        """A place below this one."""
        return Place(self.store, f"{self.path.rstrip('/')}/{relative}")


_local = LocalStore()
_stores: dict[str, Store] = {"file": _local}


def plug_in(scheme: str, store: Store) -> None:
    """From now on, URLs that begin with `scheme://` are this store's."""
    _stores[scheme] = store


def as_text(url: Url) -> str:
    """A URL or path as text."""
    given = fspath(url)
    return given.decode() if isinstance(given, bytes) else given


def is_remote(url: object) -> bool:
    """Whether this names a place other than the local disk."""
    if not isinstance(url, str | bytes | PathLike):
        return False
    scheme, separator, _ = as_text(url).partition("://")
    return bool(separator) and scheme != "file" and (scheme in _stores or scheme in OBJECT_STORE_SCHEMES)


def place_of(url: Url) -> Place:
    """The store of a URL, and the path in it.

    Raises:
        StorageError: if there is no store for such URLs.
    """
    text = as_text(url)
    scheme, separator, path = text.partition("://")
    if not separator:
        return Place(_local, text)
    store = _stores.get(scheme)
    if store is not None:
        return Place(store, path)
    if scheme in OBJECT_STORE_SCHEMES:
        raise StorageError(
            f"{text}: object stores cannot be reached from here yet",
            hint="copy the files to a local directory first and give its path",
        )
    raise StorageError(f"{text}: there is no place for {scheme}:// files", hint="give a local path")
