"""Rows that belong to groups (items shown to one user, results of one query), as metrics over groups see them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runyard.errors import DataError


@dataclass(frozen=True)
class GroupedRows:
    """One entry for each row, as 64 bit numbers.

    Args:
        ids: the group of each row, as numbers from 0.
        weights: 1 where none are given.
        number: how many groups there are.
    """

    ids: NDArray[Any]
    labels: NDArray[Any]
    scores: NDArray[Any]
    weights: NDArray[Any]
    number: int

    def sums(self, values: Any = None) -> NDArray[Any]:
        """Of values over the rows of each group; without values, the number of rows."""
        return np.bincount(self.ids, weights=values, minlength=self.number)

    def sorted_by(self, key: Any) -> "GroupedRows":
        """The rows group by group, within a group by a key."""
        order = np.lexsort((key, self.ids))
        return GroupedRows(
            self.ids[order], self.labels[order], self.scores[order], self.weights[order], number=self.number
        )


def grouped_rows(groups: Any, labels: Any, scores: Any, weights: Any, *, metric: str) -> GroupedRows:
    """The columns checked and numbered.

    Args:
        groups: one id for each row: numbers or strings; None if all rows are one group.
        weights: of the rows; None for 1 each.
        metric: whose rows they are, for messages.

    Raises:
        DataError: if there are not as many of one as of the others, or some cannot be used.
    """
    label, score = _flat(labels), _flat(scores)
    weight = np.ones_like(score) if weights is None else _flat(weights)
    ids = np.zeros(score.size, np.int64) if groups is None else _numbered(np.ravel(np.asarray(groups)))
    sizes = {ids.size, label.size, score.size, weight.size}
    if len(sizes) > 1:
        raise DataError(f"{metric} needs one user id, label and score for each row; the sizes are {sorted(sizes)}")
    if np.isnan(label).any():
        raise DataError(f"{metric} cannot use labels that are NaN")
    if (label < 0).any():
        raise DataError(f"{metric} needs labels of 0 and 1, there are negative ones")
    if np.isnan(score).any():
        raise DataError(f"{metric} cannot use scores that are NaN")
    if not (weight >= 0).all():
        raise DataError(f"{metric} needs weights of 0 or more, there are negative ones or NaN")
    return GroupedRows(ids, label, score, weight, number=int(ids.max()) + 1 if ids.size else 0)


def starts_of_runs(*columns: NDArray[Any]) -> NDArray[Any]:
    """Where in sorted columns a new combination of values begins; of no rows, nowhere."""
    if not columns[0].size:
        return np.zeros(0, np.int64)
    changes = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(np.r_[True, changes])


def _numbered(groups: NDArray[Any]) -> NDArray[Any]:
    """The groups as numbers from 0."""
    if groups.dtype.kind not in "OSU":
        return np.unique(groups, return_inverse=True)[1].ravel()
    # Text is looked up many times faster than it is sorted.
    numbers: dict[Any, int] = {}
    return np.fromiter((numbers.setdefault(group, len(numbers)) for group in groups.tolist()), np.int64, groups.size)


def _flat(column: Any) -> NDArray[Any]:
    return np.ravel(np.asarray(column)).astype(np.float64)
