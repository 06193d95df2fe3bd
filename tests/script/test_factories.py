from pathlib import Path

import pytest

from runyard.config import InvalidJob, LossSpec, MetricSpec, check_draft
from runyard.config.specs import FACTORIES
from runyard.errors import CallbackFailed, ScriptError
from runyard.script import Findings, Returns, call_factory, check_factories, load_script, outline_script

from .conftest import Draft, Write

SOURCE = """\
def my_loss(margin, *, model, scale=1.0): return "loss", margin, model, scale
def my_metric(): return "metric"
def paired(export_path, **kwargs): return export_path, kwargs
assigned = lambda: None
def plain(y_true, y_pred): pass
"""
MY_LOSS = {"type": "my_loss", "args": {"margin": 0.1}}


def loss(name: str, /, **args: object) -> LossSpec:
    return LossSpec.model_validate({"type": name, "args": args}, context={FACTORIES: None})


def metric(name: str, /, **args: object) -> MetricSpec:
    return MetricSpec.model_validate({"type": name, "args": args}, context={FACTORIES: None})


@pytest.fixture
def check(write: Write, draft: Draft):
    def check(*, lenient: bool = False, **detail: object) -> Findings:
        outline = outline_script(write("train.py", SOURCE))
        drafted = draft(lenient=lenient, **detail)
        checked = check_draft(drafted, factories=outline.factories)
        assert checked.job is not None, checked.problems
        return check_factories(outline, job=checked.job, draft=drafted)

    return check


@pytest.mark.parametrize(
    "losses", [MY_LOSS, [MY_LOSS, "mse"], {"ctr": MY_LOSS, "cvr": "bce"}, "paired", "assigned", "mse"]
)
@pytest.mark.parametrize("metrics", ["my_metric", ["my_metric", "auc"], [["my_metric"], "auc"], {"ctr": "my_metric"}])
@pytest.mark.parametrize("key", ["metrics", "weighted_metrics"])
def test_every_written_form_that_fits_passes(check, losses: object, metrics: object, key: str):
    task = {"losses": losses, key: metrics}
    assert check(train_args=task, eval_args=task) == Findings([], [])


@pytest.mark.parametrize("section", ["train_args", "eval_args"])
@pytest.mark.parametrize(
    ("losses", "place"),
    [
        ({"type": "my_loss", "args": {"margn": 1}}, "losses"),
        (["mse", {"type": "my_loss", "args": {"margn": 1}}], "losses[1]"),
        ({"ctr": {"type": "my_loss", "args": {"margn": 1}}}, "losses.ctr"),
        ({"by_output": {"type": "my_loss", "args": {"margn": 1}}}, "losses.by_output"),
    ],
)
def test_arguments_of_a_loss_that_do_not_fit(check, tmp_path: Path, section: str, losses: object, place: str):
    not_taken, lacking = check(**{section: {"losses": losses}}).problems
    function = f"my_loss ({tmp_path / 'train.py'}:1)"
    assert not_taken.message == f"{function} takes no 'margn'"
    assert not_taken.nearest == "margin"
    assert not_taken.place.endswith(f": job_detail.{section}.{place}.args.margn")
    assert lacking.message == f"{function} requires 'margin', which args does not give"
    assert lacking.place.endswith(f": job_detail.{section}.{place}.args")
    assert not_taken.source == str(tmp_path / "job.json")
    written = (tmp_path / "job.json").read_text().splitlines()
    assert not_taken.line is not None and '"margn"' in written[not_taken.line - 1]


@pytest.mark.parametrize("key", ["metrics", "weighted_metrics"])
@pytest.mark.parametrize(
    ("metrics", "place"),
    [
        ({"type": "my_metric", "args": {"k": 1}}, ""),
        (["auc", {"type": "my_metric", "args": {"k": 1}}], "[1]"),
        (["auc", ["mse", {"type": "my_metric", "args": {"k": 1}}]], "[1][1]"),
        ([["auc"], {"type": "my_metric", "args": {"k": 1}}], "[1]"),
        ({"ctr": {"type": "my_metric", "args": {"k": 1}}}, ".ctr"),
        ({"ctr": ["auc", {"type": "my_metric", "args": {"k": 1}}]}, ".ctr[1]"),
    ],
)
def test_arguments_of_a_metric_that_do_not_fit(check, key: str, metrics: object, place: str):
    (problem,) = check(train_args={key: metrics}).problems
    assert problem.place.endswith(f": job_detail.train_args.{key}{place}.args.k")
    assert problem.allowed == "no arguments"


def test_a_factory_named_without_arguments_lacks_them_at_its_name(check):
    (problem,) = check(train_args={"losses": ["mse", "my_loss"]}).problems
    assert problem.place.endswith(": job_detail.train_args.losses[1]")


def test_what_is_injected_wins_with_a_remark(check):
    findings = check(train_args={"losses": {"type": "my_loss", "args": {"margin": 1, "model": "mine"}}})
    assert not findings.problems
    assert "'model' of the job file is not used" in findings.remarks[0]


def test_the_name_of_a_metric_is_for_the_log_too(check):
    assert check(train_args={"metrics": {"type": "my_metric", "args": {"name": "hits"}}}) == Findings([], [])


def test_lenient_leaves_out_what_is_not_taken(check):
    findings = check(lenient=True, train_args={"metrics": {"type": "my_metric", "args": {"k": 1}}})
    assert not findings.problems
    assert findings.remarks[0].endswith("takes no 'k': left out")


def test_a_loss_function_is_not_a_factory_and_the_problem_says_so(check):
    (problem,) = check(train_args={"losses": "plain"}).problems
    assert "takes y_true and y_pred, but it is called without them" in problem.message
    assert problem.allowed == f"a function that returns {Returns.LOSS.value}"


def test_a_job_without_losses_has_no_factories(check):
    assert check() == Findings([], [])


class TestCalling:
    @staticmethod
    def make(path: Path, spec: LossSpec | MetricSpec, *, lenient: bool = False) -> object:
        returns = Returns.LOSS if isinstance(spec, LossSpec) else Returns.METRIC
        injectable = {"export_path": "/data"}
        return call_factory(
            load_script(path), spec, model="the model", injectable=injectable, returns=returns, lenient=lenient
        )

    def test_the_function_gets_its_arguments_and_the_model(self, write: Write):
        spec = loss("my_loss", margin=2)
        assert self.make(write("train.py", SOURCE), spec) == ("loss", 2, "the model", 1.0)

    def test_any_keyword_receives_the_arguments_of_the_job_file_only(self, write: Write):
        spec = loss("paired", k=2)
        assert self.make(write("train.py", SOURCE), spec) == ("/data", {"k": 2})

    def test_a_class_is_a_factory(self, write: Write):
        path = write("train.py", "class Hits:\n    def __init__(self, k): self.k = k\n")
        assert vars(self.make(path, metric("Hits", k=5))) == {"k": 5}

    def test_the_name_in_the_log_need_not_be_taken(self, write: Write):
        spec = metric("my_metric", name="hits")
        assert self.make(write("train.py", SOURCE), spec) == "metric"

    def test_arguments_that_do_not_fit_are_refused(self, write: Write):
        with pytest.raises(InvalidJob, match=r"my_metric \(.*train.py:2\) takes no 'k'"):
            self.make(write("train.py", SOURCE), metric("my_metric", k=5))

    def test_unless_lenient(self, write: Write):
        spec = metric("my_metric", k=5)
        assert self.make(write("train.py", SOURCE), spec, lenient=True) == "metric"

    def test_a_failure_is_the_users(self, write: Write):
        path = write("train.py", "def broken():\n    return 1 / 0\n")
        with pytest.raises(CallbackFailed, match="while Runyard was calling broken"):
            self.make(path, loss("broken"))

    def test_a_function_that_is_not_there_is_named(self, write: Write):
        with pytest.raises(ScriptError, match="defines no function nothing"):
            self.make(write("train.py", SOURCE), loss("nothing"))
