"""The names of reader classes. Here, files are always read by threads of TensorFlow: `num_readers` of them."""

from collections.abc import Mapping
from typing import Any

from moxing.tensorflow.executor.lines import lines_shown, warn_line


class ParallelReader:
    """Reads files in threads: what a dataset does anyway."""


class AsyncRawGenerator:
    """Stood for reading files in processes of their own."""


def remark_on_reader(reader_class: Any, reader_kwargs: Mapping[str, Any] | None) -> None:
    """Says it if somebody counts on another reader."""
    if reader_class not in (None, ParallelReader) or reader_kwargs:
        with lines_shown():
            warn_line(
                "`reader_class` and `reader_kwargs` have no effect here: threads of TensorFlow read the files, and"
                " num_readers says how many"
            )
