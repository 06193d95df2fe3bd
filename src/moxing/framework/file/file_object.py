"""`mox.file.File`."""

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import IO, Any, Self

from moxing.framework.file.exceptions import MoxFileNameDuplicateException
from moxing.framework.file.failures import told
from moxing.framework.file.stores import Url, as_text, place_of

_MODES = frozenset(kind + rest for kind in "rwa" for rest in ("", "b", "+", "b+", "+b", "t", "t+", "+t"))


class File:
    """An open file, as Python's own; text is UTF-8.

    Args:
        name: a path or URL.
        mode: r, w, a, r+, w+, a+, or one of these with b.

    Raises:
        ValueError: for another mode.
        OSError: if it cannot be opened.
    """

    def __init__(self, name: Url, mode: str = "r") -> None:
        if mode not in _MODES:
            raise ValueError(f"mode {mode!r} is none of r, w, a, r+, w+, a+, or these with b")
        place = place_of(name)
        self._name, self._mode = as_text(name), mode
        with told(name):
            if place.store.exists(place.path) and place.store.stat(place.path).is_directory:
                raise MoxFileNameDuplicateException(f"{self._name} is a directory", hint="give the name of a file")
            self._file: IO[Any] = place.store.open(place.path, mode)

    @property
    def name(self) -> str:
        return self._name

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def closed(self) -> bool:
        return self._file.closed

    def read(self, n: int = -1) -> Any:
        """What follows, at most `n` characters or bytes; all of it if `n` is negative."""
        return self._file.read(n)

    def readline(self, size: int = -1) -> Any:
        return self._file.readline(size)

    def readlines(self) -> list[Any]:
        return self._file.readlines()

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def writelines(self, lines: Iterable[Any]) -> None:
        self._file.writelines(lines)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def size(self) -> int:
        """Bytes, what was just written included."""
        if self._file.writable():
            self._file.flush()
        place = place_of(self._name)
        return place.store.stat(place.path).length

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def isatty(self) -> bool:
        return self._file.isatty()

    def readable(self) -> bool:
        return self._file.readable()

    def writable(self) -> bool:
        return self._file.writable()

    def seekable(self) -> bool:
        return self._file.seekable()

    def next(self) -> Any:
        """The next line; `StopIteration` at the end."""
        return next(self._file)

    def __next__(self) -> Any:
        return next(self._file)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
