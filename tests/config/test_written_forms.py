from typing import Any

import pytest

from runyard.config import LossSpec, MetricSpec, OptimizerSpec

from .jobs import train_args, train_args_problem

ADAM = OptimizerSpec(type="adam")
SGD = OptimizerSpec(type="sgd", args={"lr": 0.1})
MSE = LossSpec(type="mse")
BCE = LossSpec(type="bce", args={"from_logits": True}, weight=0.5)
AUC = MetricSpec(type="auc")
ACC = MetricSpec(type="acc")
BCE_AS_WRITTEN = {"type": "bce", "args": {"from_logits": True}, "weight": 0.5}
SGD_AS_WRITTEN = {"type": "sgd", "args": {"lr": 0.1}}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("adam", [ADAM]),
        ({"type": "adam"}, [ADAM]),
        (["adam"], [ADAM]),
        (SGD_AS_WRITTEN, [SGD]),
        (["adam", SGD_AS_WRITTEN], [ADAM, SGD]),
        ({"type": "adam", "grad_process": "pcgrad"}, [OptimizerSpec(type="adam", grad_process="pcgrad")]),
    ],
)
def test_forms_of_optimizers(written: Any, meant: list[OptimizerSpec]):
    assert train_args(optimizer=written).optimizer == meant


def test_without_an_optimizer_it_is_adam():
    assert train_args().optimizer == [ADAM]


@pytest.mark.parametrize(
    ("written", "in_order", "by_output"),
    [
        ("mse", [MSE], None),
        (BCE_AS_WRITTEN, [BCE], None),
        (["mse"], [MSE], None),
        (["mse", BCE_AS_WRITTEN], [MSE, BCE], None),
        ({"click": "mse", "like": BCE_AS_WRITTEN}, None, {"click": MSE, "like": BCE}),
        ({"output": {"type": "mse"}}, None, {"output": MSE}),
    ],
)
def test_forms_of_losses(written: Any, in_order: Any, by_output: Any):
    losses = train_args(losses=written).losses
    assert losses is not None
    assert (losses.in_order, losses.by_output) == (in_order, by_output)


def at_k(name: str, k: int, /, **args: Any) -> MetricSpec:
    return MetricSpec(type=name.partition("@")[0], args={"k": k, "name": name.lower(), **args})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"type": "NDCG@10", "args": {"user_id_index": 0}}, at_k("NDCG@10", 10, user_id_index=0)),
        (
            {"type": "hr@1", "args": {"user_id_index": "uid", "name": "hit"}},
            at_k("hr@1", 1, user_id_index="uid", name="hit"),
        ),
        ("top_k_cacc@3", at_k("top_k_cacc@3", 3)),
        ("prec@recall", None),
    ],
)
def test_a_number_after_a_metrics_name_is_its_k(written: Any, meant: MetricSpec | None):
    if meant is None:
        assert train_args_problem(metrics=written).message == "PrecisionAtRecall needs the argument 'recall'"
        return
    metrics = train_args(metrics=written).metrics
    assert metrics is not None and metrics.every_output == [meant]


@pytest.mark.parametrize("written", ["auc@10", {"type": "ndcg@5", "args": {"user_id_index": 0, "k": 3}}, "ndcg@x"])
def test_a_number_that_a_metric_cannot_take_is_refused(written: Any):
    assert train_args_problem(metrics=written).message.startswith("no metric is called")


@pytest.mark.parametrize("key", ["metrics", "weighted_metrics"])
@pytest.mark.parametrize(
    ("written", "every_output", "in_order", "by_output"),
    [
        ("auc", [AUC], None, None),
        ({"type": "auc"}, [AUC], None, None),
        ([], [], None, None),
        (["auc", {"type": "acc"}], [AUC, ACC], None, None),
        ([["auc"]], None, [[AUC]], None),
        ([["auc", "acc"], ["acc"]], None, [[AUC, ACC], [ACC]], None),
        ([["auc"], "acc", []], None, [[AUC], [ACC], []], None),
        ({"click": "auc", "like": ["auc", {"type": "acc"}]}, None, None, {"click": [AUC], "like": [AUC, ACC]}),
    ],
)
def test_forms_of_metrics(key: str, written: Any, every_output: Any, in_order: Any, by_output: Any):
    metrics = getattr(train_args(**{key: written}), key)
    assert (metrics.every_output, metrics.in_order, metrics.by_output) == (every_output, in_order, by_output)


@pytest.mark.parametrize("key", ["optimizer", "losses", "metrics"])
@pytest.mark.parametrize("value", [3, True, [None], [[["auc"]]]])
def test_what_is_neither_a_name_nor_an_object_is_refused_in_one_sentence(key: str, value: Any):
    problem = train_args_problem(**{key: value})
    assert problem.message == 'needs a name or an object {"type": ..., "args": {...}}'
    assert problem.path[:3] == ("job_detail", "train_args", key)
    assert problem.received is not None


def test_an_empty_list_is_refused_where_one_is_needed():
    assert train_args_problem(optimizer=[]).message == "needs at least one item"
    assert train_args_problem(losses=[]).message == "needs at least one item"


@pytest.mark.parametrize("key", ["losses", "metrics"])
def test_a_misspelt_key_of_a_spec_is_no_output(key: str):
    problem = train_args_problem(**{key: {"type": "mse", "arg": {}}})
    assert problem.nearest == "args"
    assert problem.path == ("job_detail", "train_args", key, "arg")


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"losses": "nope"}, ("losses",)),
        ({"losses": {"type": "nope"}}, ("losses", "type")),
        ({"losses": ["mse", {"type": "nope"}]}, ("losses", 1, "type")),
        ({"losses": {"click": "nope"}}, ("losses", "click")),
        ({"metrics": ["auc", "nope"]}, ("metrics", 1)),
        ({"metrics": [["auc", {"type": "nope"}], "auc"]}, ("metrics", 0, 1, "type")),
        ({"metrics": [["auc"], "nope"]}, ("metrics", 1)),
        ({"metrics": {"click": {"type": "nope"}}}, ("metrics", "click", "type")),
        ({"metrics": {"click": ["auc", "nope"]}}, ("metrics", "click", 1)),
        ({"optimizer": {"type": "nope"}}, ("optimizer", "type")),
        ({"optimizer": ["adam", "nope"]}, ("optimizer", 1)),
    ],
)
def test_a_mistake_is_placed_where_it_was_written(written: dict[str, Any], place: tuple[str | int, ...]):
    assert train_args_problem(**written).path == ("job_detail", "train_args", *place)
