import pytest

from runyard.checkpoint.misfit import refuse_misfit
from runyard.errors import CheckpointError

_KERNEL = {"dtype": "float32", "shape": [3, 2]}


def test_the_same_variables_fit_in_any_order() -> None:
    bias = {"dtype": "float32", "shape": []}
    refuse_misfit({"a": _KERNEL, "b": bias}, {"b": bias, "a": _KERNEL}, where="there")


def test_every_difference_is_listed() -> None:
    saved = {"model/a": _KERNEL, "model/b": _KERNEL, "model/c": _KERNEL, "model/same": _KERNEL}
    expected = {
        "model/a": {"dtype": "float32", "shape": [4, 2]},
        "model/b": {"dtype": "float16", "shape": [3, 2]},
        "model/d": {"dtype": "int64", "shape": []},
        "model/same": _KERNEL,
    }
    with pytest.raises(CheckpointError) as caught:
        refuse_misfit(saved, expected, where="/runs/step-7")
    assert caught.value.message.split("\n") == [
        "the checkpoint in /runs/step-7 is of another model or optimizer; nothing was overwritten",
        "  changed: model/a was (3, 2) float32, is (4, 2) float32",
        "  changed: model/b was (3, 2) float32, is (3, 2) float16",
        "  new: model/d () int64",
        "  gone: model/c (3, 2) float32",
    ]
    assert "--fresh" in str(caught.value)


def test_a_long_list_is_cut() -> None:
    with pytest.raises(CheckpointError) as caught:
        refuse_misfit({}, {f"w{number}": _KERNEL for number in range(50)}, where="there")
    lines = caught.value.message.split("\n")
    assert len(lines) == 14
    assert lines[-1] == "  ... and 38 more"


def test_a_tensor_without_a_shape_is_shown() -> None:
    with pytest.raises(CheckpointError, match=r"new: it \? variant"):
        refuse_misfit({}, {"it": {"dtype": "variant", "shape": None}}, where="there")
