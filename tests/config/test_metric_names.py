from typing import Any

import pytest

from .jobs import check, problem_of, with_train_args


def _job(metrics: Any, weighted: Any = None) -> Any:
    return with_train_args(losses="mse", metrics=metrics, weighted_metrics=weighted)


@pytest.mark.parametrize(
    ("metrics", "weighted", "place"),
    [
        ("auc", "auc", "weighted_metrics"),
        (["mae", "AUC"], ["auc"], "weighted_metrics[0]"),
        (["auc", "auc"], None, "metrics[1]"),
        (["auc"], {"click": ["mae", "auc"]}, "weighted_metrics.click[1]"),
        ({"click": "auc"}, ["auc"], "weighted_metrics[0]"),
        ([["mae"], ["auc"]], [["auc"], ["mse", "auc"]], "weighted_metrics[1][1]"),
        ([{"type": "auc", "args": {"name": "area"}}], {"type": "mae", "args": {"name": "area"}}, "weighted_metrics"),
    ],
)
def test_two_metrics_of_one_name_at_one_output_are_found(metrics: Any, weighted: Any, place: str):
    problem = problem_of(_job(metrics, weighted))
    assert "are both called" in problem.message
    assert problem.place.endswith(f"train_args.{place}")
    assert problem.line is not None
    assert problem.hint is not None
    assert '"args": {"name": ...}' in problem.hint


@pytest.mark.parametrize(
    ("metrics", "weighted"),
    [
        (["auc"], [{"type": "auc", "args": {"name": "weighted_auc"}}]),
        (["auc"], ["mae"]),
        ({"click": "auc", "buy": "auc"}, None),
        ({"click": "auc"}, {"buy": "auc"}),
        ([["auc"], ["auc"]], None),
        ([["auc"]], {"buy": "auc"}),
    ],
)
def test_names_that_may_stand_together_are_left_alone(metrics: Any, weighted: Any):
    assert check(_job(metrics, weighted)).problems == []


def test_evaluation_is_checked_as_well():
    eval_args = {"metrics": ["auc"], "weighted_metrics": ["auc"]}
    problem = problem_of({"script_name": "a.py", "eval_args": eval_args})
    assert problem.place.endswith("eval_args.weighted_metrics[0]")
