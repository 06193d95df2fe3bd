import json

import numpy as np
import pytest

from runyard.errors import DataError
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS, encoded


def test_every_structure() -> None:
    arrays = {"id": TEXT_IDS, 'a "b"': MATRICES, "one": SCORES[:, None], "flag": SCORES > 0, "n": INT_IDS}
    rows = [json.loads(line) for line in encoded(arrays, row_id="id", format="jsonl", cut=2).split(b"\n")[:-1]]
    assert [row["id"].encode() for row in rows] == TEXT_IDS.tolist()
    assert np.array([row['a "b"'] for row in rows], np.float32).tolist() == MATRICES.tolist()
    assert np.array([row["one"] for row in rows], np.float32).tolist() == SCORES.tolist()
    assert [row["flag"] for row in rows] == [True, False, True, True, False]
    assert [row["n"] for row in rows] == INT_IDS.tolist()
    assert list(rows[0]) == list(arrays)


def test_no_number_is_null() -> None:
    assert encoded({"a": np.array([np.nan, np.inf])}, format="jsonl") == b'{"a": null}\n{"a": null}\n'


def test_lists_of_texts() -> None:
    words = np.array([[b"x", "ü".encode()]], object)
    assert encoded({"a": words}, format="jsonl").decode() == '{"a": ["x", "ü"]}\n'


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DataError, match=r"'a' holds b'\\xff', which is no UTF-8"):
        encoded({"a": np.array([b"\xff"], object)}, format="jsonl")
