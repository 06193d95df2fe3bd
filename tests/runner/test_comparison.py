"""How models are compared: which value is best, how far from the baseline."""

from pathlib import Path
from typing import Any

import pytest

from runyard.config import MetricSpec
from runyard.config.known_names import Kind, names
from runyard.runner.evaluation.comparison import Comparison, DatasetResult, EvaluatedModel
from runyard.runner.evaluation.comparison_table import comparison_table
from runyard.runner.evaluation.directions import Direction, directions


def evaluated(name: str, **metrics: Any) -> EvaluatedModel:
    return EvaluatedModel(name, Path(name), [DatasetResult("", 10, 0.1, metrics)])


DIRECTIONS = {"auc": Direction.HIGHER, "loss": Direction.LOWER, "calibration": Direction.NEAR_ONE}


def compared(*models: EvaluatedModel, baseline: str | None = None) -> Comparison:
    return Comparison(list(models), [], baseline, DIRECTIONS)


def test_the_best_values_are_marked_and_differences_shown() -> None:
    old = evaluated("old", loss=0.5, auc=0.75, calibration=1.25)
    new = evaluated("new", loss=0.25, auc=0.7, calibration=0.9)
    table = comparison_table(compared(old, new, baseline="new"))
    assert table.columns == ["model", "loss", "auc", "calibration"]
    assert table.marked_rows == [
        ["old", "0.5 (+0.25)", "0.75 (+0.05)*", "1.25 (+0.35)"],
        ["new (baseline)", "0.25*", "0.7", "0.9*"],
    ]
    assert table.legend == "* best; in brackets: difference to new"
    assert table.best == {(0, 2), (1, 1), (1, 3)}


def test_equal_values_are_both_best() -> None:
    table = comparison_table(compared(evaluated("a", auc=0.5), evaluated("b", auc=0.5), baseline="b"))
    assert table.best == {(0, 1), (1, 1)}


def test_one_model_has_nothing_to_be_compared_with() -> None:
    table = comparison_table(compared(evaluated("a", auc=0.123456789), baseline="a"))
    assert (table.rows, table.legend) == ([["a", "0.123457"]], "")


def test_several_datasets_are_columns() -> None:
    models = [
        EvaluatedModel(name, Path(name), [DatasetResult(key, 1, 0.1, {"auc": value}) for key, value in results.items()])
        for name, results in {"a": {"0": 0.5, "x(y)": 0.7}, "b": {"0": 0.6, "x(y)": 0.6}}.items()
    ]
    table = comparison_table(compared(*models, baseline="b"))
    assert table.columns == ["model", "auc(0)", "auc(x(y))"]
    assert table.best == {(1, 1), (0, 2)}


def test_a_table_that_is_wider_than_the_terminal_comes_in_parts() -> None:
    metrics = {"loss": 0.5, "auc": 0.75, "calibration": 1.25}
    table = comparison_table(compared(evaluated("a model", **metrics), evaluated("b", **metrics)))
    assert [columns for columns, _ in table.parts(width=None)] == [["model", "loss", "auc", "calibration"]]
    narrow = table.parts(width=33)
    assert [columns for columns, _ in narrow] == [["model", "loss", "auc"], ["model", "calibration"]]
    assert narrow[1][1] == [["a model", "1.25*"], ["b", "1.25*"]]
    assert len(table.parts(width=5)) == 3, "a column of its own each, even if that is too wide"


def test_what_cannot_be_compared_is_shown_only() -> None:
    first = evaluated("a", mine=1.0, f1=[0.1, 0.25], calibration=float("nan"))
    table = comparison_table(compared(first, evaluated("b", mine=2.0, calibration=1.5), baseline="b"))
    assert table.rows == [["a", "1 (-1)", "[0.1, 0.25]", "nan"], ["b (baseline)", "2", "", "1.5"]]
    assert table.best == frozenset(), "nobody knows which way `mine` is better, and NaN is no rival"


@pytest.mark.parametrize(
    ("lower", "name"),
    [
        (True, "bce"),
        (True, "rmse"),
        (True, "kld"),
        (True, "log_loss"),
        (True, "ece"),
        (True, "squared_hinge"),
        (True, "FalsePositives"),
        (False, "auc"),
        (False, "gauc"),
        (False, "mrr"),
        (False, "acc"),
        (False, "cossim"),
        (False, "TruePositives"),
        (False, "f1"),
    ],
)
def test_which_values_are_better(lower: bool, name: str) -> None:
    found = directions({"x": MetricSpec.model_construct(type=name, args={})}, losses=["loss"])
    assert found == {"loss": Direction.LOWER, "x": Direction.LOWER if lower else Direction.HIGHER}


def test_every_known_metric_has_a_direction_and_a_users_own_has_none() -> None:
    specs = {name: MetricSpec.model_construct(type=name, args={}) for name in [*names(Kind.METRIC), "users_own"]}
    assert set(directions(specs, losses=())) == set(specs) - {"users_own"}
