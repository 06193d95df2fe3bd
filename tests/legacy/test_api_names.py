"""The list of names is what the installed TensorFlow says."""

from typing import Any

import pytest

from runyard.legacy.api_names import Era, api_names
from runyard.legacy.collect_names import FILE


@pytest.mark.slow
def test_the_checked_in_list_is_what_tensorflow_says(tensorflow_says: dict[str, Any]) -> None:
    assert tensorflow_says["names"] == FILE.read_text(encoding="utf-8"), "run `make names` and look at the difference"


@pytest.mark.parametrize(
    ("name", "era", "known"),
    [
        ("placeholder", Era.ONE, "placeholder"),
        ("train.AdamOptimizer.minimize", Era.ONE, "train.AdamOptimizer"),
        ("optimizers.Adam", Era.TWO, "optimizers.Adam"),
        ("matmul", Era.BOTH, "matmul"),
        ("data.Dataset.from_generator", Era.BOTH, "data.Dataset"),
        ("nn.nonsense.more", Era.NEITHER, "nn.nonsense"),
        ("nonsense", Era.NEITHER, "nonsense"),
    ],
)
def test_the_era_of_a_name(name: str, era: Era, known: str) -> None:
    assert api_names().era(name) == (era, known)
