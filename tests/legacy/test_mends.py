"""TF-Slim works on the TensorFlow that there is."""

from typing import Any

import pytest


@pytest.mark.slow
def test_every_name_that_slim_takes_from_tensorflow_is_there(tensorflow_says: dict[str, Any]) -> None:
    slim = tensorflow_says["slim"]
    assert slim["seen"] > 1000
    assert slim["missing"] == []
    assert slim["numpy"] == [True, True, True]
