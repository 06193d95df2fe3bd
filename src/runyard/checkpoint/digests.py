"""Whether files are still the ones that they were."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from runyard.errors import StorageError


def digest_of_files(paths: Iterable[Path]) -> str:
    """One digest for the names and contents of files; other paths are passed over.

    Raises:
        StorageError: if one cannot be read.
    """
    found = hashlib.sha256()
    for path in paths:
        if path.is_file():
            try:
                with path.open("rb") as file:
                    found.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
            except OSError as error:
                raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    return found.hexdigest()
