from typing import Any

import pytest

from runyard.data.inputs import model_inputs
from runyard.errors import DataError


@pytest.mark.parametrize(
    ("inputs", "exclude", "left"),
    [
        (("uid", "x"), [0], ("x",)),
        (["uid", "x", "z"], [0, 2], ("x",)),
        ({"uid": 1, "x": 2}, ["uid"], {"x": 2}),
        (("uid", "x"), [], ("uid", "x")),
        ("x", [], "x"),
    ],
)
def test_excluded_inputs_are_left_out(inputs: Any, exclude: list[int | str], left: Any) -> None:
    assert model_inputs(inputs, exclude=exclude, squeeze=False) == left


@pytest.mark.parametrize(
    ("inputs", "exclude", "left"),
    [
        (("uid", "x"), [0], "x"),
        ({"uid": 1, "x": 2}, ["uid"], 2),
        (("uid", "x", "z"), [0], ("x", "z")),
    ],
)
def test_one_input_that_is_left_can_be_passed_bare(inputs: Any, exclude: list[int | str], left: Any) -> None:
    assert model_inputs(inputs, exclude=exclude, squeeze=True) == left


@pytest.mark.parametrize(
    ("inputs", "exclude", "message"),
    [
        (("uid", "x"), [2], r"names \[2\], but the inputs are \[0, 1\]"),
        (("uid", "x"), [-1], r"names \[-1\]"),
        (("uid", "x"), ["uid"], r"names \['uid'\]"),
        ({"uid": 1, "x": 2}, ["user"], r"names \['user'\], but the inputs are \['uid', 'x'\]"),
        ({"uid": 1, "x": 2}, [0], r"names \[0\]"),
        ("x", [0], "the dataset has one input only"),
        (("uid", "x"), [0, 1], "leaves no input for the model"),
        ({"uid": 1}, ["uid"], "leaves no input for the model"),
    ],
)
def test_what_cannot_be_excluded_is_refused(inputs: Any, exclude: list[int | str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        model_inputs(inputs, exclude=exclude, squeeze=False)
