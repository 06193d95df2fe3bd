import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runyard.errors import ConfigError
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS, encoded


def read(data: bytes, *, delimiter: str = " ") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


def test_a_single_output_is_one_column() -> None:
    lines = encoded({"output": SCORES}).decode().split("\n")
    assert lines[0] == "output"
    assert np.array(lines[1:6], np.float32).tolist() == SCORES.tolist()
    assert lines[6:] == [""]


def test_columns_and_numbers_have_their_own_delimiters() -> None:
    data = encoded({"id": INT_IDS, "a": MATRICES, "b": SCORES}, row_id="id", result_field_delim=" | ", output_delim=";")
    lines = data.decode().splitlines()
    assert lines[0] == "id | a | b"
    for line, number, matrix, score in zip(lines[1:], INT_IDS, MATRICES, SCORES, strict=True):
        first, second, third = line.split(" | ")
        assert int(first) == number
        assert np.array(second.split(";"), np.float32).tolist() == matrix.reshape(-1).tolist()
        assert np.float32(third) == score


@pytest.mark.parametrize("delimiter", [" ", ",", "\t"])
def test_texts_are_quoted_where_they_must_be(delimiter: str) -> None:
    data = encoded({"id": TEXT_IDS, "output": SCORES}, row_id="id", result_field_delim=delimiter)
    rows = read(data, delimiter=delimiter)
    assert [row[0].encode() for row in rows[1:]] == TEXT_IDS.tolist()
    assert [np.float32(row[1]) for row in rows[1:]] == SCORES.tolist()
    assert data.splitlines()[1].startswith(b"a" + delimiter.encode()), "plain texts stay as they are"


def test_texts_as_outputs_and_truth_values() -> None:
    words = np.array([[b"x", b"y z"], [b"u", b"v"]], object)
    rows = read(encoded({"word": words, "true": np.array([True, False])}))
    assert rows == [["word", "true"], ["x,y z", "True"], ["u,v", "False"]]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)


@given(st.lists(TEXTS, min_size=1, max_size=8), st.sampled_from([" ", ",", ";;"]), st.booleans())
def test_any_text_comes_back(texts: list[str], delimiter: str, alone: bool) -> None:
    ids = np.array([text.encode() for text in texts], object)
    arrays = {"id": ids} if alone else {"id": ids, "n": np.arange(len(ids))}
    data = encoded(arrays, result_field_delim=delimiter, write_headers=False)
    if len(delimiter) == 1:
        assert [row[0] for row in read(data, delimiter=delimiter)] == texts
    else:
        assert data.count(b'"') % 2 == 0


def test_without_headers() -> None:
    assert encoded({"output": np.arange(2)}, write_headers=False) == b"0\n1\n"


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_rows_do_not_depend_on_what_is_encoded_with_them(cut: int) -> None:
    arrays = {"id": TEXT_IDS, "a": MATRICES, "b": SCORES}
    assert encoded(arrays, row_id="id", cut=cut) == encoded(arrays, row_id="id")


def test_an_output_without_numbers_is_empty() -> None:
    assert encoded({"a": np.zeros((2, 0), np.float32), "b": np.arange(2)}) == b"a b\n 0\n 1\n"


@pytest.mark.parametrize(("between_columns", "between_numbers"), [(",", ","), ("|", " | ")])
def test_delimiters_that_cannot_be_told_apart_are_for_single_numbers_only(
    between_columns: str, between_numbers: str
) -> None:
    delimiters: dict[str, Any] = {"result_field_delim": between_columns, "output_delim": between_numbers}
    single = {"id": INT_IDS, "a": SCORES, "b": SCORES[:, None]}
    assert len(read(encoded(single, row_id="id", **delimiters), delimiter=between_columns)[1]) == 3
    with pytest.raises(ConfigError, match=r"nobody could tell the numbers of the output 'm' from columns") as refused:
        encoded({"a": SCORES, "m": MATRICES}, **delimiters)
    assert "another output_delim" in (refused.value.hint or "")
    assert encoded({"m": MATRICES}, row_format="{m}", **delimiters).startswith(b"m\n-1")
