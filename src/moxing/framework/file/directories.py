"""What is there: exists, sizes, listings; directories made."""

from collections.abc import Callable, Iterator
from typing import Any

from moxing.framework.file.exceptions import MoxFileNameDuplicateException
from moxing.framework.file.failures import told
from moxing.framework.file.stores import Stat, Url, Walk, as_text, place_of
from moxing.framework.file.trees import below


def exists(url: Url) -> bool:
    """Whether there is a file or a directory."""
    place = place_of(url)
    return place.store.exists(place.path)


def is_directory(url: Url) -> bool:
    """Whether there is a directory."""
    place = place_of(url)
    return place.store.exists(place.path) and place.store.stat(place.path).is_directory


def stat(url: Url) -> Stat:
    """`length`, `mtime_nsec` and `is_directory`.

    Raises:
        MoxFileNotExistsException: if it does not exist.
    """
    place = place_of(url)
    with told(url):
        return place.store.stat(place.path)


def get_size(url: Url, recursive: bool = False) -> int:
    """Bytes of a file. Of a directory 0, or with `recursive` those of all files in it."""
    found = stat(url)
    if not (found.is_directory and recursive):
        return found.length
    place = place_of(url)
    return sum(place.store.stat(place.within(name).path).length for name, directory in below(place) if not directory)


def list_directory(
    url: Url, recursive: bool = False, remove_sep: bool = True, skip_file: bool = False, skip_dir: bool = False
) -> list[str]:
    """The names in a directory, relative to it, in alphabetical order.

    Args:
        recursive: those in its sub-directories too.
        remove_sep: False leaves a / at the end of directories.
        skip_file: leave files out.
        skip_dir: leave directories out.
    """
    place = place_of(url)
    with told(url):
        found = sorted(below(place)) if recursive else place.store.names(place.path)
    kept = [(name, directory) for name, directory in found if not (skip_dir if directory else skip_file)]
    return [f"{name}/" if directory and not remove_sep else name for name, directory in kept]


def glob(url: Url) -> list[str]:
    """Files and directories that match a pattern with `*`, `?`, `[...]` and `**`, in alphabetical order."""
    place = place_of(url)
    return place.store.glob(place.path)


def walk(url: Url, topdown: bool = True, onerror: Callable[..., Any] | None = None, followlinks: bool = False) -> Walk:
    """As `os.walk`."""
    place = place_of(url)
    return place.store.walk(place.path, topdown=topdown, onerror=onerror, followlinks=followlinks)


def scan_dir(url: Url) -> Iterator[Any]:
    """As `os.scandir`: what is in a directory, with `name`, `path`, `is_dir()`, `is_file()` and `stat()`."""
    place = place_of(url)
    with told(url):
        yield from place.store.scan(place.path)


def mk_dir(url: Url) -> None:
    """Makes a directory, which may be there already.

    Raises:
        OSError: if the one above it does not exist.
        MoxFileNameDuplicateException: if it is a file.
    """
    if is_directory(url):
        return
    place = place_of(url)
    if place.store.exists(place.path):
        raise MoxFileNameDuplicateException(f"{as_text(url)} is a file")
    with told(url):
        place.store.make_directory(place.path)


def make_dirs(url: Url) -> None:
    """Makes a directory and those above it that are missing.

    Raises:
        MoxFileNameDuplicateException: if it is a file.
    """
    place = place_of(url)
    if place.store.exists(place.path) and not place.store.stat(place.path).is_directory:
        raise MoxFileNameDuplicateException(f"{as_text(url)} is a file")
    place.store.make_directories(place.path)
