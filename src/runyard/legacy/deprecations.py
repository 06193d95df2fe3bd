"""TensorFlow's deprecation warnings, gathered: old programs cause dozens, and the program is not being rewritten."""

import atexit
import logging
import os
import warnings
from typing import Any

from runyard.legacy.ownership import is_library_file
from runyard.legacy.warning_tally import WarningTally

_MARKS = ("deprecat", "will be removed")


class Deprecations(logging.Filter):
    """Holds warnings back; at the end the first process of the job says how many there were in all."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._process = os.getpid()
        self._tally: WarningTally | None = None
        self._tells = False
        self._show_warning: Any = None

    def install(self) -> None:
        inherited = WarningTally.of_ancestor()
        self._tally, self._tells = inherited or WarningTally.new(), inherited is None
        os.environ.update(self._tally.variables())
        logging.getLogger("tensorflow").addFilter(self)
        self._show_warning, warnings.showwarning = warnings.showwarning, self._show
        atexit.register(self._end)

    def remove(self) -> None:
        logging.getLogger("tensorflow").removeFilter(self)
        if self._show_warning is not None and warnings.showwarning == self._show:
            warnings.showwarning = self._show_warning
        atexit.unregister(self._end)
        self._end()

    def filter(self, record: logging.LogRecord) -> bool:
        """What TensorFlow logs."""
        if record.levelno != logging.WARNING or not _speaks_of_deprecation(record.getMessage()):
            return True
        self._count += 1
        return False

    def _show(self, message: Any, category: type[Warning], filename: str, *more: Any, **options: Any) -> None:
        """What libraries warn of through Python. The program's own warnings are shown."""
        of_library = is_library_file(filename) or "tf." in str(message)
        if of_library and (issubclass(category, DeprecationWarning) or _speaks_of_deprecation(str(message))):
            self._count += 1
            return
        self._show_warning(message, category, filename, *more, **options)

    def _end(self) -> None:
        """A copy of this process that the program has forked leaves it to the original."""
        if self._tally is None or os.getpid() != self._process:
            return
        if self._count:
            self._tally.add(self._count)
        if self._tells:
            self._tally.tell()
        self._tally = None


def _speaks_of_deprecation(text: str) -> bool:
    return any(mark in text for mark in _MARKS)
