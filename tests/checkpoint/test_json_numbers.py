import json

from runyard.checkpoint.json_numbers import without_nan


def test_numbers_that_json_lacks_are_null_wherever_they_are() -> None:
    numbers = {"a": float("nan"), "b": [1.5, float("inf"), (-float("inf"), "nan", True)], "c": None, "d": 3}
    assert json.dumps(without_nan(numbers), allow_nan=False) == (
        '{"a": null, "b": [1.5, null, [null, "nan", true]], "c": null, "d": 3}'
    )
