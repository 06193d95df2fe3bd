import numpy as np
import pytest

from runyard.errors import ConfigError
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS, encoded

ROW = {"user": INT_IDS[:2], "click": np.array([[0.25], [0.5]], np.float32), "buy": MATRICES[:2, 0]}


def rows(template: str, **args: object) -> list[str]:
    return encoded(ROW, row_id="user", row_format=template, **args).decode().splitlines()


def test_names_of_columns_and_their_other_names() -> None:
    assert rows("{user}|{row_id}|{output}|{click}|{output_0}|{output_1}", output_delim="/") == [
        "user|row_id|output|click|output_0|output_1",
        "-3|-3|0.25|0.25|0.25|-1.0/-0.9310345/-0.86206895",
        "1000000004|1000000004|0.5|0.5|0.5|-0.5862069/-0.51724136/-0.44827586",
    ]


def test_a_name_of_its_own_wins() -> None:
    arrays = {"a": np.array([1]), "output": np.array([2])}
    assert encoded(arrays, row_format="{output} {output_0}", write_headers=False) == b"2 1\n"


def test_formats() -> None:
    assert rows("{user:>12}:{output:.3f}:{buy:+.1f}", write_headers=False)[0] == "          -3:0.250:-1.0,-0.9,-0.9"


def test_braces_and_text_around() -> None:
    assert rows('{{"u": {user}}}') == ['{"u": user}', '{"u": -3}', '{"u": 1000000004}']


def test_texts_are_not_quoted_and_may_be_any_bytes() -> None:
    ids = np.array([b"a b", b"\xff"], object)
    shown = encoded({"id": ids, "o": SCORES[:2]}, row_id="id", row_format="{id}>{id:_<4}", write_headers=False)
    assert shown == b"a b>a b_\n\xff>\xff___\n"


@pytest.mark.parametrize("template", ["{output.__class__}", "{output[0]}", "{score}", "{output_2}", "{output.real}"])
def test_other_names_are_refused_before_anything_is_written(template: str) -> None:
    with pytest.raises(ConfigError, match=r"the columns are user, click, buy, row_id, output, output_0, output_1"):
        rows(template)


def test_without_ids_there_is_no_row_id() -> None:
    with pytest.raises(ConfigError, match="row_id"):
        encoded({"output": SCORES}, row_format="{row_id}")


@pytest.mark.parametrize(("template", "arrays"), [("{a:d}", {"a": SCORES}), ("{a:.2f}", {"a": TEXT_IDS})])
def test_a_format_that_does_not_fit_is_refused(template: str, arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises(ConfigError, match="cannot write 'a'"):
        encoded(arrays, row_format=template)
