"""How many records a TFRecord file has, found without reading what is in them."""

import os
import struct

from moxing.framework import file
from moxing.tensorflow.datasets.failures import WrongData

_HEADER, _FOOTER = 12, 4


def count_records(path: str) -> int:
    """The number of records: each has a length (8 bytes), its checksum (4), the data, and their checksum (4).

    Raises:
        WrongData: if the file ends within a record.
    """
    size, number, position = file.get_size(path), 0, 0
    with file.File(path, "rb") as records:
        while position < size:
            position += _length(records) + _HEADER + _FOOTER
            if position > size or position < 0:
                raise WrongData(
                    f"{path}: record {number} is cut off, or this is no TFRecord file",
                    hint="copy the file again, or write it anew",
                )
            records.seek(position, os.SEEK_SET)
            number += 1
    return number


def _length(records: file.File) -> int:
    header = records.read(_HEADER)
    return struct.unpack("<Q", header[:8])[0] if len(header) == _HEADER else 1 << 62
