"""Datasets without an end."""

from typing import Any

from runyard.data.tree import is_endless
from runyard.errors import DataError


def refuse_endless(dataset: Any, *, samples: int | None, key: str, what: str, section: str = "train_args") -> None:
    """An endless dataset needs a number of rows at which it ends.

    Raises:
        DataError: if the job gives none.
    """
    if is_endless(dataset) and not samples:
        raise DataError(f"the {what} is endless, so it needs an end", hint=f"give {section}.{key}, or no repeat()")
