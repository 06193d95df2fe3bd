import ml_dtypes
import numpy as np
import pytest

from runyard.errors import DataError
from runyard.reports.rows import binary_rows, class_rows
from tests.reports.outputs import scored


def test_rows_that_cannot_be_drawn_are_left_out_and_counted() -> None:
    rows = binary_rows(scored([0, 1, 1, 0], [0.1, np.nan, 0.9, np.inf]))
    assert rows.scores.tolist() == [0.1, 0.9]
    assert rows.positive.tolist() == [False, True]
    assert rows.remarks == ("2 of 4 rows have a score or label that is not a finite number; they are left out.",)


def test_rows_with_impossible_weights_are_left_out() -> None:
    rows = binary_rows(scored([0, 1, 1], [0.1, 0.2, 0.3], weights=[1.0, -1.0, np.nan]))
    assert rows.scores.tolist() == [0.1]
    assert rows.weights is not None
    assert rows.weights.tolist() == [1.0]
    assert "2 of 3 rows have a weight" in rows.remarks[0]


def test_columns_are_flat() -> None:
    rows = binary_rows(scored([[0.0], [1.0]], [[0.25], [0.5]], weights=[[1], [2]]))
    assert (rows.scores.shape, rows.positive.shape) == ((2,), (2,))
    assert rows.remarks == ()


def test_labels_other_than_0_and_1_are_said() -> None:
    rows = binary_rows(scored([-1, 1], [0.1, 0.2]))
    assert rows.positive.tolist() == [False, True]
    assert "above 0.5 count as 1" in rows.remarks[0]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_is_read(dtype: type):
    rows = binary_rows(scored(np.array([0, 1], dtype), np.array([0.25, 0.5], dtype)))
    assert rows.scores.dtype == np.float32
    assert rows.scores.tolist() == [0.25, 0.5]


def test_whole_numbers_are_scores_too() -> None:
    assert binary_rows(scored([0, 1], [0, 1])).scores.tolist() == [0, 1]


def test_scores_of_classes_become_the_best_class() -> None:
    rows = class_rows(scored([0, 1, 2], [[0.9, 0.1], [0.2, 0.8], [np.nan, 1]], kind="classes"))
    assert rows.labels.tolist() == [0, 1]
    assert rows.predictions.tolist() == [0, 1]
    assert "1 of 3 rows" in rows.remarks[0]


def test_predicted_classes_are_taken_as_they_are() -> None:
    rows = class_rows(scored([3.0, 4.0], [[3.0], [5.0]], kind="classes"))
    assert (rows.labels.tolist(), rows.predictions.tolist()) == ([3, 4], [3, 5])


@pytest.mark.parametrize("kind", ["binary", "classes"])
def test_lengths_that_differ_are_an_error(kind: str) -> None:
    rows = binary_rows if kind == "binary" else class_rows
    with pytest.raises(DataError, match=r"output 'click' of 'new' on 'test': 3 labels, but an array of shape \(2,\)"):
        rows(scored([0, 1, 1], [0.1, 0.2]))
