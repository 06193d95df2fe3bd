"""What one element of a dataset is: inputs, labels and weights, in the structures that users write."""

from dataclasses import dataclass
from typing import Any

from runyard.errors import DataError


@dataclass(frozen=True)
class Element:
    """An element taken apart. Labels and weights are None where there are none."""

    inputs: Any
    labels: Any = None
    weights: Any = None


def split_element(element: Any, *, labels_expected: bool = False) -> Element:
    """`x`, `(x, y)` or `(x, y, weight)`; a weight of None is no weight. A list or dict is always an `x`.

    Args:
        labels_expected: refuse a bare `x` here; elsewhere a loss or metric that needs labels refuses it.

    Raises:
        DataError: if a tuple has more than three parts, or labels are expected and missing.
    """
    if not isinstance(element, tuple):
        element = (element,)
    if len(element) > 3:
        raise DataError(
            f"an element of the dataset has {len(element)} parts, expected x, (x, y) or (x, y, weight)",
            hint="put several inputs into a tuple of their own: ((x1, x2), y)",
        )
    if labels_expected and len(element) < 2:
        raise DataError("an element of the dataset has no labels, expected (x, y) or (x, y, weight)")
    return Element(*element)
