"""Whole files: read, write, append."""

import io

from moxing.framework.file.exceptions import MoxFileNotExistsException, MoxFileReadException
from moxing.framework.file.failures import told
from moxing.framework.file.file_object import File
from moxing.framework.file.stores import Url, as_text, place_of


def read(url: Url, client_id: object = None, binary: bool = False, exist_check: bool = False) -> str | bytes:
    """What is in a file.

    Args:
        client_id: which connection of an object store to use; local files have none.
        binary: bytes instead of text (UTF-8).
        exist_check: ask first whether it exists: for stores that are slow to say that it does not.

    Raises:
        MoxFileNotExistsException: if it does not exist.
        MoxFileReadException: if it cannot be read.
    """
    del client_id
    place = place_of(url)
    if exist_check and not place.store.exists(place.path):
        raise MoxFileNotExistsException(f"there is no file {as_text(url)}")
    try:
        with File(url, "rb") as file:
            data: bytes = file.read()
        return data if binary else data.decode()
    except MoxFileNotExistsException:
        raise
    except UnicodeDecodeError as error:
        reason = f"it is no text: byte {error.start} is not UTF-8"
        raise MoxFileReadException(
            f"{as_text(url)} cannot be read: {reason}", hint="read it with binary=True"
        ) from None
    except OSError as error:
        raise MoxFileReadException(f"{as_text(url)} cannot be read: {error.strerror or error}") from error


def write(url: Url, data: str | bytes, binary: bool = False) -> None:
    """Writes a file. Nobody sees it half written; directories that are missing are made.

    Args:
        binary: `data` are bytes; bytes are written either way.
    """
    place = place_of(url)
    with told(url):
        place.store.write_whole(place.path, io.BytesIO(_as_bytes(data, binary=binary)))


def append(url: Url, data: str | bytes, binary: bool = False) -> None:
    """Adds to the end of a file, which need not exist."""
    with File(url, "ab") as file:
        file.write(_as_bytes(data, binary=binary))


def append_remote(src_url: Url, dst_url: Url) -> None:
    """Adds what is in one file to the end of another, which need not exist."""
    append(dst_url, read(src_url, binary=True), binary=True)


def _as_bytes(data: str | bytes, *, binary: bool) -> bytes:
    if isinstance(data, str):
        if binary:
            raise TypeError("data is text, and binary=True says that it is bytes")
        return data.encode()
    return bytes(data)
