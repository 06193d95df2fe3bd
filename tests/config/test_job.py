from typing import Any

import pytest

from runyard.config import Job
from runyard.config.eval_args import EvalArgs, ModelToLoad, PredictArgs

from .jobs import DETAIL, check, job_of, problem_of, problems_of


def wrapped(**detail: Any) -> dict[str, Any]:
    return {"job_detail": {"script_name": "a.py", **detail}}


def eval_args(**written: Any) -> EvalArgs:
    args = job_of(wrapped(eval_args=written)).job_detail.eval_args
    assert args is not None
    return args


def predict_args(**written: Any) -> PredictArgs:
    args = job_of(wrapped(predict_args=written)).job_detail.predict_args
    assert args is not None
    return args


def test_both_shapes_give_the_same_job():
    envelope = {"name": "job", "num_workers": 2, "skip": True}
    assert job_of({"job_detail": DETAIL, **envelope}) == job_of({**DETAIL, **envelope})


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("evaluation_args", "eval_args"),
        ("test_args", "eval_args"),
        ("eval_data_args", "test_data_args"),
        ("pred_args", "predict_args"),
        ("pred_data_args", "predict_data_args"),
    ],
)
def test_synonyms_of_keys(name: str, first: str):
    assert job_of(wrapped(**{name: {}})) == job_of(wrapped(**{first: {}}))
    assert job_of({"script_name": "a.py", name: {}}) == job_of(wrapped(**{first: {}}))
    problem = problem_of(wrapped(**{name: {}, first: {}}))
    assert problem.message == f"{name!r} and {first!r} are two names of one key"
    assert problem.path == ("job_detail", name)


def test_two_synonyms_are_one_too_many():
    problem = problem_of({"script_name": "a.py", "test_args": {}, "evaluation_args": {}})
    assert problem.message == "'test_args' and 'evaluation_args' are two names of one key"


def test_a_mistake_under_a_synonym_is_shown_under_the_name_that_was_written():
    assert problem_of(wrapped(test_args={"batch_size": "x"})).path == ("job_detail", "test_args", "batch_size")
    assert problem_of({"script_name": "a.py", "pred_args": 1}).path == ("pred_args",)


@pytest.mark.parametrize(("key", "default", "value"), [("num_workers", 1, 4), ("num_pss", 0, 2), ("keras", None, 3)])
def test_some_keys_may_stand_in_either_place(key: str, default: Any, value: Any):
    assert getattr(job_of({"job_detail": DETAIL}), key) == default
    assert getattr(job_of({"job_detail": DETAIL, key: value}), key) == value
    assert getattr(job_of({"job_detail": {**DETAIL, key: value}}), key) == value
    assert getattr(job_of({"job_detail": {**DETAIL, key: value}, key: value}), key) == value
    assert problem_of({"job_detail": {**DETAIL, key: "x"}}).path == ("job_detail", key)
    assert problem_of({**DETAIL, key: "x"}).path == (key,)


def test_two_values_for_one_key_contradict_each_other():
    problem = problem_of({"job_detail": {**DETAIL, "num_workers": 3}, "num_workers": 2})
    assert problem.message == "'num_workers' stands at the top level, too, with another value"
    assert problem.received == "2 and 3"


def test_a_key_of_job_detail_beside_it_is_misplaced():
    problem = problem_of({"job_detail": DETAIL, "model_args": {}})
    assert (problem.message, problem.path) == ("'model_args' belongs into job_detail", ("model_args",))


@pytest.mark.parametrize("value", [[], "x", None, 1])
def test_job_detail_is_an_object(value: Any):
    problem = problem_of({"job_detail": value})
    assert (problem.message, problem.path) == ("needs an object {...}", ("job_detail",))


@pytest.mark.parametrize("data", [{"job_detail": {}}, {}, {"name": "x"}])
def test_a_script_is_needed(data: Any):
    assert problem_of(data).message == "required key 'script_name' is missing"


def test_the_scripts_name_is_not_empty():
    assert problem_of({"script_name": ""}).message == "must not be empty"


def test_a_link_to_the_schema_is_for_editors():
    assert job_of({"$schema": "./job_schema.json", **DETAIL}) == job_of(DETAIL)


@pytest.mark.parametrize("key", ["train_data_args", "val_data_args", "test_data_args", "predict_data_args"])
def test_arguments_of_data_that_are_not_given_differ_from_empty_ones(key: str):
    assert getattr(job_of(wrapped()).job_detail, key) is None
    assert getattr(job_of(wrapped(**{key: {}})).job_detail, key) == {}


@pytest.mark.parametrize("key", ["model_args", "save_model_args", "load_model_args"])
def test_arguments_of_other_callbacks_are_empty_by_default(key: str):
    assert getattr(job_of(wrapped()).job_detail, key) == {}
    deep = {"a": [1, {"b": None}], "训练": True}
    assert getattr(job_of(wrapped(**{key: deep})).job_detail, key) == deep
    assert problem_of(wrapped(**{key: [1]})).message == "needs an object {...}"


def test_defaults_of_one_job_are_not_those_of_another():
    job_of(wrapped()).job_detail.model_args["changed"] = True
    assert job_of(wrapped()).job_detail.model_args == {}


@pytest.mark.parametrize(
    ("key", "default", "accepted", "refused"),
    [
        ("name", None, "x", 1),
        ("num_workers", 1, 8, 0),
        ("num_pss", 0, 0, -1),
        ("keras", None, 2, 1),
        ("skip", False, True, "yes"),
        ("output_file", None, "out", 1),
        ("envs", {}, {"A": "b"}, {"A": 1}),
        ("trainer", "runner", "plain", "other"),
    ],
)
def test_the_envelope(key: str, default: Any, accepted: Any, refused: Any):
    assert getattr(job_of(DETAIL), key) == default
    assert getattr(job_of({**DETAIL, key: accepted}), key) == accepted
    assert problem_of({**DETAIL, key: refused}).path[0] == key


ENVELOPE_WITHOUT_MEANING: dict[str, Any] = {
    "archive": [{"src": "a", "path_name": "b", "compress": True}],
    "clean_files": ["*.tmp"],
    "namespace": "ns",
    "node_affin": "only_gpu",
    "pod_affin": "spread",
    "node_selector": {"a": "b"},
    "resources": {"limits": {"cpu": "16"}},
    "ps_resources": {},
    "chief_resources": {},
    "restart_policy": "Never",
    "backoff_limits": 3,
    "timeout": "365d",
    "polling_interval": "30s",
    "os_ver": "ubt",
    "tf_ver": "2.3",
    "ps_config": {"framework": "tme"},
    "privileged": True,
    "debug": True,
}
DETAIL_WITHOUT_MEANING: dict[str, Any] = {
    "nni_using": True,
    "model_input_config_file": "a.json",
    "load_model_from": "m",
    "params": ["--a", 1],
    "model_name": "m",
    "save_path": "p",
    "version": "1",
}


@pytest.mark.parametrize(("key", "value"), ENVELOPE_WITHOUT_MEANING.items())
def test_a_key_of_the_envelope_without_meaning_is_accepted_and_named(key: str, value: Any):
    (remark,) = check({"job_detail": DETAIL, key: value}).remarks
    assert remark.startswith(f"{key}: ")


@pytest.mark.parametrize(("key", "value"), DETAIL_WITHOUT_MEANING.items())
def test_a_key_of_job_detail_without_meaning_is_accepted_and_named(key: str, value: Any):
    (remark,) = check({"job_detail": {**DETAIL, key: value}}).remarks
    assert remark.startswith(f"job_detail.{key}: ")
    (remark,) = check({**DETAIL, key: value}).remarks
    assert remark.startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("m", [ModelToLoad(path="m")]),
        ({"path": "m", "name": "n"}, [ModelToLoad(path="m", name="n")]),
        (["a", {"path": "b"}], [ModelToLoad(path="a"), ModelToLoad(path="b")]),
        ("${ONLINE_MODEL}$", [ModelToLoad(path="${ONLINE_MODEL}$")]),
        ([], []),
    ],
)
def test_forms_of_models(written: Any, meant: list[ModelToLoad]):
    assert eval_args(models=written).models == meant


def test_a_model_needs_a_path():
    problem = problem_of(wrapped(eval_args={"models": [{"name": "x"}]}))
    assert problem.message == "required key 'path' is missing"
    assert problem.path == ("job_detail", "eval_args", "models", 0)


EVAL_FIELDS: list[tuple[str, Any, Any, Any]] = [
    ("models", [], [], 3),
    ("baseline", None, "m", 1),
    ("batch_size", 128, 7, "7"),
    ("metrics", None, None, 3),
    ("weighted_metrics", None, None, 3),
    ("losses", None, None, []),
    ("num_test_samples", None, 10, 0),
    ("input_squeeze", None, True, 1),
    ("output_file", None, "o.json", 1),
    ("report", True, False, 1),
    ("inter_op_paral", 0, 2, -1),
    ("intra_op_paral", 0, 2, -1),
    ("verbose", False, True, 1),
]
PREDICT_FIELDS: list[tuple[str, Any, Any, Any]] = [
    ("model_path", None, "m", 1),
    ("model_name", "", "m", None),
    ("batch_size", 1024, 7, "7"),
    ("result_file", None, "r.csv", ""),
    ("format", "csv", "parquet", "xml"),
    ("result_field_delim", " ", "\t", None),
    ("output_delim", ",", ";", 1),
    ("write_headers", True, False, "no"),
    ("row_id_col", "", "id", None),
    ("input_exclude_row_id", True, False, 0),
    ("row_format", None, "{output}", 1),
    ("input_squeeze", False, True, 1),
]


@pytest.mark.parametrize(("key", "default", "accepted", "refused"), EVAL_FIELDS)
def test_eval_args(key: str, default: Any, accepted: Any, refused: Any):
    assert getattr(eval_args(), key) == default
    assert getattr(eval_args(**{key: accepted}), key) == accepted
    assert problem_of(wrapped(eval_args={key: refused})).path == ("job_detail", "eval_args", key)


@pytest.mark.parametrize(("key", "default", "accepted", "refused"), PREDICT_FIELDS)
def test_predict_args(key: str, default: Any, accepted: Any, refused: Any):
    assert getattr(predict_args(), key) == default
    assert getattr(predict_args(**{key: accepted}), key) == accepted
    assert problem_of(wrapped(predict_args={key: refused})).path == ("job_detail", "predict_args", key)


@pytest.mark.parametrize(("section", "default"), [("eval_args", 128), ("predict_args", 1024)])
def test_a_batch_size_of_0_means_the_default(section: str, default: int):
    checked = check(wrapped(**{section: {"batch_size": 0}}))
    assert checked.job is not None
    assert getattr(checked.job.job_detail, section).batch_size == default
    assert checked.remarks == [f"{section}.batch_size: 0 means the default, {default}"]


@pytest.mark.parametrize("section", ["eval_args", "predict_args"])
def test_excluded_inputs_are_a_list(section: str):
    job = job_of(wrapped(**{section: {"model_call_exclude_input_index": "uid"}}))
    assert getattr(job.job_detail, section).model_call_exclude_input_index == ["uid"]


@pytest.mark.parametrize("key", ["mw_com", "train_type"])
def test_keys_of_eval_args_without_meaning_are_named(key: str):
    (remark,) = check(wrapped(evaluation_args={key: "x"})).remarks
    assert remark.startswith(f"job_detail.evaluation_args.{key}: ")


def test_metrics_of_evaluation_have_the_same_forms_as_those_of_training():
    assert eval_args(metrics=[["auc"], "mse"]).metrics == eval_args(metrics=[["auc"], ["mse"]]).metrics
    problems = problems_of(wrapped(eval_args={"metrics": ["acu"], "losses": {"a": "msee"}}))
    assert {problem.nearest for problem in problems} == {"auc", "mse"}


def test_a_job_cannot_be_changed_by_mistake():
    job = job_of(DETAIL)
    with pytest.raises(ValueError, match="frozen"):
        job.num_workers = 2  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(job, Job)
