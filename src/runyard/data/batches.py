"""From the dataset that a callback returns to batches."""

import re
from typing import Any

import tensorflow as tf

from runyard.errors import DataError


def batched(dataset: Any, *, batch_size: int, already: bool) -> Any:
    """The dataset in batches: made by the user when their callback takes `batch_size`, else by us."""
    return dataset if already else dataset.batch(batch_size)


def first_batch(dataset: Any, *, what: str) -> Any:
    """The first batch.

    Raises:
        DataError: if there is none, or it cannot be read.
    """
    try:
        for element in dataset:
            return element
    except tf.errors.OpError as error:
        raise DataError(f"the {what} cannot be read: {_first_line(error)}") from error
    raise DataError(
        f"the {what} is empty",
        hint="look at file names, filters and whether a batch with drop_remainder swallows it all",
    )


def _first_line(error: Exception) -> str:
    """What TensorFlow says, without the graph node and the operation that it names around it."""
    line = str(error).strip().split("\n")[0]
    return re.sub(r"^(\{\{.*?\}\}\s*)+|\s*\[Op:\w+\].*$", "", line)
