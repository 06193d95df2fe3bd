from typing import Any

import pytest

from runyard.data.elements import Element, split_element
from runyard.errors import DataError


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        (("x", "y"), Element("x", "y")),
        (("x", "y", "w"), Element("x", "y", "w")),
        (("x", "y", None), Element("x", "y")),
        ((("x1", "x2"), {"a": 1}), Element(("x1", "x2"), {"a": 1})),
    ],
)
def test_an_element_is_taken_apart(element: Any, expected: Element) -> None:
    assert split_element(element) == expected


@pytest.mark.parametrize("element", ["x", {"a": 1, "b": 2}, ["x1", "x2", "x3", "x4"]])
def test_what_is_no_tuple_is_an_input(element: Any) -> None:
    assert split_element(element) == Element(element)


def test_a_tuple_of_one_is_an_input() -> None:
    assert split_element(("x",)) == Element("x")


@pytest.mark.parametrize("element", ["x", ("x",), {"a": 1}])
def test_missing_labels_are_refused_where_they_are_expected(element: Any) -> None:
    with pytest.raises(DataError, match="has no labels"):
        split_element(element, labels_expected=True)


def test_more_than_three_parts_are_refused() -> None:
    with pytest.raises(DataError, match=r"has 4 parts.*\n.*a tuple of their own"):
        split_element((1, 2, 3, 4))
