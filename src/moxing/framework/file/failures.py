"""What the system says about a file, as MoXing's exceptions."""

from collections.abc import Iterator
from contextlib import contextmanager

from moxing.framework.file.exceptions import MoxFileNotExistsException
from moxing.framework.file.stores import Url, as_text
from runyard.errors import StorageError


@contextmanager
def told(url: Url) -> Iterator[None]:
    """A missing file is a `MoxFileNotExistsException` that names it; other errors stay the system's."""
    try:
        yield
    except StorageError:
        raise
    except FileNotFoundError as error:
        missing = error.filename or as_text(url)
        raise MoxFileNotExistsException(f"there is no file or directory {missing}") from error
