"""Values as formats with types hold them."""

import numpy as np

from runyard.errors import DataError
from runyard.predictions.columns import Column


def one_value(array: np.ndarray, *, column: Column) -> np.ndarray:
    """Rows of one value, (rows, 1), as values: `Dense(1)` means a number, not a list of one."""
    return array[:, 0] if column.shape == (1,) else array


def unicode_texts(flat: np.ndarray, *, name: str) -> list[str]:
    """Texts of TensorFlow, which are bytes, as text.

    Raises:
        DataError: if some are not.
    """
    try:
        return [text.decode() for text in flat.tolist()]
    except UnicodeDecodeError as error:
        raise DataError(
            f"the column {name!r} holds {error.object!r}, which is no UTF-8 text",
            hint="csv and tfrecord can hold any bytes",
        ) from error
