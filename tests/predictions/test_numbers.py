import json

import numpy as np
import pytest

from runyard.predictions.numbers import number_texts, shortest_doubles


def texts(values: np.ndarray) -> list[bytes]:
    return number_texts(values, nan=b"nan", infinity=b"inf")


def random_floats(count: int) -> np.ndarray:
    """Any bits, so any size of number."""
    values = np.random.default_rng(0).integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
    return values[np.isfinite(values)]


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e-5, 1.0, 1e4, 1e12, 1e30])
def test_every_float32_comes_back(scale: float) -> None:
    values = (np.random.default_rng(1).standard_normal(20_000) * scale).astype(np.float32)
    assert np.array([float(text) for text in texts(values)], np.float32).tobytes() == values.tobytes()


def test_floats_of_any_bits_come_back() -> None:
    values = random_floats(50_000)
    assert np.array([float(text) for text in texts(values)], np.float32).tobytes() == values.tobytes()


def test_texts_have_no_more_digits_than_numpy_writes() -> None:
    values = np.concatenate([random_floats(20_000), np.random.default_rng(2).random(20_000, np.float32)])
    exact = shortest_doubles(values)
    shortest = values.astype("U").astype(np.float64)
    # NumPy, too, takes the fewest digits; where two texts are as short, either may be taken.
    assert np.mean(exact == shortest) > 0.9999
    assert all(len(repr(a)) <= len(repr(b)) for a, b in zip(exact.tolist(), shortest.tolist(), strict=True))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, b"0.1"), (-0.0, b"-0.0"), (1.0, b"1.0"), (16777216, b"16777216.0"), (np.nan, b"nan"), (-np.inf, b"-inf")],
)
def test_single_floats(value: float, text: bytes) -> None:
    assert texts(np.array([value], np.float32)) == [text]


def test_doubles_and_whole_numbers_are_exact() -> None:
    doubles = np.random.default_rng(3).standard_normal(1000)
    assert [float(text) for text in texts(doubles)] == doubles.tolist()
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        whole = np.array([np.iinfo(dtype).min, 0, np.iinfo(dtype).max], dtype)
        assert [int(text) for text in texts(whole)] == whole.tolist()


def test_what_json_cannot_hold_is_null() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 1.5], np.float32)
    shown = number_texts(values, nan=b"null", infinity=b"null")
    assert [json.loads(text) for text in shown] == [None, None, None, 1.5]


def test_no_values_are_no_texts() -> None:
    assert texts(np.zeros(0, np.float32)) == []
