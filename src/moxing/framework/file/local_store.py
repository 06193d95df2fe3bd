"""Files on the local disk."""

import contextlib
import errno
import glob
import io
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any


@dataclass(frozen=True)
class FileStat:
    """What is known of a file or a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


class LocalStore:
    """Plain files. Missing directories above a file are made where a whole file is written, as in object stores."""

    def open(self, path: str, mode: str) -> IO[Any]:
        return io.open(path, mode, encoding=None if "b" in mode else "utf-8")  # noqa: UP020

    def write_whole(self, path: str, source: IO[bytes]) -> None:
        """Nobody sees the file half written."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():  # such as /dev/null
            with target.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            return
        temporary = target.with_name(f".mox.{os.getpid()}.{id(source):x}.tmp")
        try:
            with temporary.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target.resolve())  # noqa: PTH105
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def stat(self, path: str) -> FileStat:
        found = os.stat(path)  # noqa: PTH116
        directory = stat.S_ISDIR(found.st_mode)
        return FileStat(0 if directory else found.st_size, found.st_mtime_ns, directory)

    def exists(self, path: str) -> bool:
        return bool(path) and Path(path).exists()

    def names(self, path: str) -> list[tuple[str, bool]]:
        """What is in a directory, and whether each is a directory."""
        with os.scandir(path) as entries:
            return sorted((entry.name, entry.is_dir()) for entry in entries)

    def scan(self, path: str) -> Iterator[os.DirEntry[str]]:
        with os.scandir(path) as entries:
            yield from entries

    def walk(
        self, path: str, *, topdown: bool, onerror: Callable[[OSError], object] | None, followlinks: bool
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        return os.walk(path, topdown=topdown, onerror=onerror, followlinks=followlinks)

    def glob(self, pattern: str) -> list[str]:
        return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207

    def make_directory(self, path: str) -> None:
        Path(path).mkdir()

    def make_directories(self, path: str) -> None:
        Path(path).mkdir(parents=True, exist_ok=True)

    def remove_file(self, path: str) -> None:
        Path(path).unlink()

    def remove_tree(self, path: str) -> None:
        if Path(path).is_symlink():
            Path(path).unlink()
        else:
            shutil.rmtree(path)

    def rename(self, path: str, to: str) -> None:
        try:
            os.rename(path, to)  # noqa: PTH104
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.move(path, to)
