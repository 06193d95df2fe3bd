"""What can go wrong with a file. All are OSErrors, so scripts that expect those go on working."""

import errno
from typing import Any

from runyard.errors import StorageError


class MoxFileNotExistsException(StorageError, FileNotFoundError):
    """There is no such file or directory."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.errno = errno.ENOENT


class MoxFileNameDuplicateException(StorageError, FileExistsError):
    """A directory has the name that a file should get, or the other way round."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.errno = errno.EEXIST


class MoxFileRespException(StorageError, OSError):
    """A store refused. `resp` is its answer, None where there is none."""

    def __init__(self, message: str, *, hint: str | None = None, resp: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.resp = resp


class MoxFileReadException(MoxFileRespException):
    """A file is there but cannot be read."""
