"""TensorFlow's deprecation warnings, gathered: old programs cause dozens, and the program is not being rewritten."""

import atexit
import logging
import warnings
from typing import Any

from runyard.legacy.ownership import is_library_file
from runyard.telemetry import note

_MARKS = ("deprecat", "will be removed")


class Deprecations(logging.Filter):
    """Holds warnings back and says at the end how many there were."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self._show_warning: Any = None

    def install(self) -> None:
        logging.getLogger("tensorflow").addFilter(self)
        self._show_warning, warnings.showwarning = warnings.showwarning, self._show
        atexit.register(self.tell)

    def remove(self) -> None:
        logging.getLogger("tensorflow").removeFilter(self)
        if self._show_warning is not None and warnings.showwarning == self._show:
            warnings.showwarning = self._show_warning
        atexit.unregister(self.tell)

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

    def tell(self) -> None:
        if self._count:
            warned = "1 deprecation warning" if self._count == 1 else f"{self._count} deprecation warnings"
            note(f"TensorFlow gave {warned}; --warnings shows them")


def _speaks_of_deprecation(text: str) -> bool:
    return any(mark in text for mark in _MARKS)
