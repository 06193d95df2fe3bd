import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.errors import StorageError
from runyard.reports.evaluation import ReportTable, ScoredOutput, write_report
from tests.reports.outputs import NO_TABLE, scored
from tests.reports.structure import Outline, drawings, numbers_of

_HOSTILE = "<script>alert('x')</script>\"'&</title></style>]]>\x00\u202e\ud800\nhttp://evil.example"
_LABELS = [0, 1, 0, 1, 1, 0, 0, 1]
_SCORES = [0.1, 0.8, 0.3, 0.7, 0.4, 0.5, 0.2, 0.9]


def _written(path: Path, outputs: Sequence[ScoredOutput], *, title: str = "t", table: ReportTable = NO_TABLE) -> str:
    write_report(path / "evaluation.html", title=title, table=table, scored=outputs)
    return (path / "evaluation.html").read_text(encoding="utf-8")


def test_what_is_on_the_page(tmp_path: Path, matches_golden: Callable[[str, str], None]) -> None:
    table = ReportTable(
        columns=["model", "auc", "loss"],
        rows=[["new", "0.9375", "0.41"], ["old", "0.5", "0.35"]],
        best=frozenset({(0, 1), (1, 2)}),
        remarks=["new: /models/new", "odd (/models/<odd>) was not evaluated: there is no model"],
    )
    outputs = [
        scored(_LABELS, _SCORES),
        scored(_LABELS, [2.5, -1.0] * 4, model="old"),
        scored(_LABELS, _SCORES, output="buy", weights=[1, 2, 0, 1, 1, 1, 1, 0.5]),
        scored([0, 1, 1, 2], [0, 1, 2, 2], output="kind", kind="classes", dataset="validation"),
    ]
    matches_golden("evaluation_page.txt", "\n".join(Outline(_written(tmp_path, outputs, table=table)).lines) + "\n")


def test_best_cells_are_marked(tmp_path: Path) -> None:
    table = ReportTable(columns=["model", "auc"], rows=[["a", "0.1"], ["b", "0.2"]], best=frozenset({(1, 1)}))
    assert re.findall(r'class="best"[^>]*><bdi>(.*?)<', _written(tmp_path, [], table=table)) == ["0.2"]


def test_each_binary_output_has_its_plots(tmp_path: Path) -> None:
    text = _written(tmp_path, [scored(_LABELS, _SCORES), scored(_LABELS, _SCORES, model="old")])
    labels = [svg.get("aria-label") for svg in drawings(text)]
    assert labels == ["ROC curve", "Precision and recall", "Calibration", "Scores of new", "Scores of old"]


def test_a_model_has_one_colour_everywhere(tmp_path: Path) -> None:
    outputs = [
        scored(_LABELS, _SCORES, model="a"),
        scored(_LABELS, _SCORES, model="b"),
        scored(_LABELS, _SCORES, model="b", dataset="other"),
        scored(_LABELS, _SCORES, model="a", dataset="other"),
    ]
    colours: dict[str, set[str]] = {}
    for svg in drawings(_written(tmp_path, outputs)):
        for element in svg.iter("polyline"):
            colours.setdefault(element.findtext("title", ""), set()).add(element.get("class", ""))
    assert colours == {"a": {"curve m0"}, "b": {"curve m1"}}


def test_many_models_differ_in_dashes_when_colours_are_used_up(tmp_path: Path) -> None:
    text = _written(tmp_path, [scored(_LABELS, _SCORES, model=f"m{number}") for number in range(20)])
    lines = [(line.get("class"), line.get("stroke-dasharray")) for line in drawings(text)[0].iter("polyline")]
    assert len(set(lines)) == 20


def test_names_from_outside_stay_text(tmp_path: Path) -> None:
    table = ReportTable(columns=[_HOSTILE], rows=[[_HOSTILE]], best=frozenset({(0, 0)}))
    outputs = [
        scored(_LABELS, _SCORES, model=_HOSTILE, dataset=_HOSTILE, output=_HOSTILE),
        scored(_LABELS, np.full(8, np.nan), model=_HOSTILE, dataset=_HOSTILE),
        scored(_LABELS, [3.0] * 8, model=_HOSTILE, dataset=_HOSTILE),
        scored(_LABELS, _LABELS, kind="classes", model=_HOSTILE, dataset=_HOSTILE, output=_HOSTILE),
    ]
    text = _written(tmp_path, outputs, title=_HOSTILE, table=table)
    page = Outline(text)
    assert "script" not in page.tags
    assert page.tags <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "div", "table", "thead", "tbody", "tr", "th"),
        *("td", "bdi", "section", "figure", "figcaption", "svg", "line", "polyline", "circle", "rect", "text", "ul"),
        *("li", "i", "b", "p", "small"),
    }
    assert text.count("</style>") == 1
    assert not re.search(r"[\x00\u202e]", text)
    assert len(drawings(text)) >= 5


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    text = _written(tmp_path, [scored(_LABELS, _SCORES), scored(_LABELS, _LABELS, kind="classes")])
    assert Outline(text).addresses == []
    assert not re.search(r"https?://|url\(|@import|<script|<link|\son\w+=", text)
    assert "default-src 'none'" in text


_SMALLEST = 5e-324
_ODD_OUTPUTS: dict[str, tuple[Any, Any]] = {
    "no rows": ([], []),
    "one row": ([1], [0.3]),
    "one class": ([1, 1], [0.3, 0.4]),
    "constant": ([1, 0], [0.5, 0.5]),
    "all NaN": ([1, 0], [np.nan, np.nan]),
    "logits": ([1, 0, 1], [-2.0, 3.0, 700.0]),
    "huge": ([1, 0], np.array([-3e38, 1e29], np.float32)),
    "tiny": ([1, 0], [_SMALLEST, 0.0]),
    "nearly constant": ([1, 0], [1e9, 1e9 + 1e-6]),
    "half precision": ([1, 0, 1], np.array([0.1, 0.9, 0.2], np.float16)),
    "booleans": (np.array([True, False]), np.array([True, False])),
}


@pytest.mark.parametrize("name", _ODD_OUTPUTS)
@pytest.mark.parametrize("weight", [None, 0.0, 0.25])
@pytest.mark.filterwarnings("error")
def test_odd_outputs_have_a_page(tmp_path: Path, name: str, weight: float | None) -> None:
    labels, scores = _ODD_OUTPUTS[name]
    weights = None if weight is None else np.full(len(labels), weight)
    text = _written(tmp_path, [scored(labels, scores, weights=weights)])
    Outline(text)
    for svg in drawings(text):
        assert all(math.isfinite(number) and abs(number) < 1000 for number in numbers_of(svg)), svg.get("aria-label")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no rows", "There are no rows to show."),
        ("one class", "Every label is 1: ROC and precision-recall curves need both classes."),
        ("constant", "Every score is the same."),
        ("all NaN", "2 of 2 rows have a score or label that is not a finite number"),
        ("logits", "read as logits and shown after the sigmoid: new."),
    ],
)
def test_what_cannot_be_drawn_as_usual_is_said(tmp_path: Path, name: str, sentence: str) -> None:
    labels, scores = _ODD_OUTPUTS[name]
    assert any(sentence in line for line in Outline(_written(tmp_path, [scored(labels, scores)])).lines)


def test_too_many_classes_are_shown_together(tmp_path: Path) -> None:
    lines = Outline(_written(tmp_path, [scored(range(40), [0] * 40, kind="classes")])).lines
    heads = [line.split(": ")[1] for line in lines if line.strip().startswith("th:")]
    assert heads.count("other") == 2
    assert len(heads) == 2 * 31 + 2
    assert lines[-1].endswith("The 30 most frequent classes are shown; 10 more are together in “other”.")


@pytest.mark.parametrize("scores", [[], np.zeros((0, 3))])
def test_classes_without_rows(tmp_path: Path, scores: Any) -> None:
    text = _written(tmp_path, [scored([], scores, kind="classes")])
    assert "There are no rows to show." in text
    assert "<figure" not in text


def test_a_page_stays_small(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    labels = random.random(300_000) < 0.1
    text = _written(tmp_path, [scored(labels, random.normal(size=300_000) + labels)])
    assert len(text) < 100_000


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="Not a directory"):
        write_report(tmp_path / "file" / "evaluation.html", title="t", table=NO_TABLE, scored=[])


def test_reports_need_no_tensorflow() -> None:
    code = "import sys, runyard.reports.evaluation; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
