"""When the outputs of an export are those of its source."""

import numpy as np
import pytest

from runyard.errors import ModelError
from runyard.models.comparison import largest_difference


def difference(found: object, expected: object, *, tolerance: float = 1e-4) -> float:
    return largest_difference({"y": found}, {"y": expected}, tolerance=tolerance, what="the export")


def test_the_difference_is_measured_in_parts_of_the_largest_output() -> None:
    assert difference([0.5, 0.25], [0.5, 0.25]) == 0
    assert difference([1000.05, 0.0], [1000.0, 0.0]) == pytest.approx(5e-5)
    assert difference([0.00005], [0.0]) == pytest.approx(5e-5)
    with pytest.raises(ModelError, match=r"'y' differs by 0\.001, allowed are 0\.0001; nothing was published"):
        difference([0.501], [0.5])


def test_nan_and_infinity_must_be_in_the_same_places() -> None:
    assert difference([np.nan, np.inf, 1.0], [np.nan, np.inf, 1.0]) == 0
    for found, expected in (([np.nan], [0.0]), ([0.0], [np.nan]), ([np.inf], [-np.inf]), ([1.0], [np.inf])):
        with pytest.raises(ModelError, match="differs"):
            difference(found, expected)


def test_whole_numbers_and_texts_must_be_equal() -> None:
    assert difference(np.array([1, 2]), np.array([1, 2], np.int32)) == 0
    assert difference(np.array(["ä"], object), np.array(["ä".encode()], object)) == 0
    for found, expected in ((np.array([1]), np.array([2])), (np.array([b"a"]), np.array([b"b"]))):
        with pytest.raises(ModelError, match="differs by inf"):
            difference(found, expected)


def test_other_shapes_and_names_are_told() -> None:
    with pytest.raises(ModelError, match=r"'y' has the shape \(1, 2\), its source gives \(2,\)"):
        difference([[1.0, 2.0]], [1.0, 2.0])
    with pytest.raises(ModelError, match=r"has the outputs \['x'\], its source has \['y'\]"):
        largest_difference({"x": 1.0}, {"y": 1.0}, tolerance=1, what="the export")


def test_nothing_at_all_is_no_difference() -> None:
    assert difference(np.zeros((0, 2)), np.zeros((0, 2))) == 0
