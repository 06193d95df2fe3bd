import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from runyard.config import InvalidJob, JobRequest, check_draft, draft_job, load_job

from .jobs import DETAIL, EXAMPLE_FILES, NOW, check, check_text, job_of, problem_of, problems_of, with_train_args

FAULTY = """{
    "job_detail": {
        "script_name": "train.py",
        "model_arg": {},
        "train_args": {
            "batch_size": "32",
            "optimizer": "adma",
            "losses": "mse",
            "metrics": ["auc",
                        "acu"],
            "early_stopping": {"mode": "maximum"},
            "save_path": "${DATA_PAHT}$/m"
        }
    },
    "nmae": "x"
}
"""


def loaded(file: Path, **request: Any) -> Any:
    return load_job(JobRequest(job_file=file, now=NOW, **request))[0]


def write(folder: Path, data: object, *, name: str = "job.json") -> Path:
    file = folder / name
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return file


def test_all_mistakes_of_a_file_come_at_once(tmp_path: Path):
    file = write(tmp_path, FAULTY)
    checked = check_draft(draft_job(JobRequest(job_file=file)), factories=frozenset())
    assert checked.job is None
    problems = InvalidJob(checked.problems).problems
    assert {problem.source for problem in problems} == {str(file)}
    assert [(p.line, p.path[-1], p.received, p.nearest) for p in problems] == [
        (4, "model_arg", None, "model_args"),
        (6, "batch_size", '"32"', None),
        (7, "optimizer", "'adma'", "adam"),
        (10, 1, "'acu'", "auc"),
        (11, "mode", '"maximum"', "max"),
        (12, "save_path", "${DATA_PAHT}$", "DATA_PATH"),
        (15, "nmae", None, "name"),
    ]
    allowed = {problem.path[-1]: problem.allowed for problem in problems}
    assert allowed["mode"] == "auto, min, max"
    assert "train_data_args" in str(allowed["model_arg"])


def test_an_error_says_everything_in_one_text():
    with pytest.raises(InvalidJob) as caught:
        load_job(JobRequest(job_text=FAULTY))
    text = str(caught.value)
    heading, first = text.splitlines()[:2]
    assert heading == "6 problems found, nothing was started:"  # a metric may be one of the script's
    assert first == "--job:4: job_detail.model_arg: unknown key 'model_arg'"
    assert "\n--job:7: job_detail.train_args.optimizer: " in text
    assert "\n  did you mean 'max'?" in text
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("file", EXAMPLE_FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_examples_are_jobs(file: Path):
    job = loaded(file, data_path="/data")
    assert job.job_detail.train_data_args["file"].startswith(str(file.parent))
    assert job.job_detail.train_args.save_path.startswith("/data/saved_model")


def test_comments_trailing_commas_and_yaml_give_the_same_job(tmp_path: Path):
    data = {"job_detail": {**DETAIL, "model_args": {"a": [1, 0.001, True, None, "x"]}}, "name": "n"}
    relaxed = json.dumps(data, indent=1).replace("\n}", ", // the end\n}").replace("[", "[ /* a list */ ")
    files = [
        write(tmp_path, data),
        write(tmp_path, relaxed, name="relaxed.json"),
        write(tmp_path, yaml.dump(data), name="block.yaml"),
        write(tmp_path, yaml.dump(data, default_flow_style=True), name="flow.yml"),
        write(tmp_path, "\ufeff" + json.dumps(data), name="bom.json"),
    ]
    assert "//" in relaxed
    jobs = [loaded(file) for file in files]
    assert jobs == [jobs[0]] * len(files)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_the_text_of_a_job_may_come_in_quotes(quote: str):
    assert check_text(f" {quote}{json.dumps(DETAIL)}{quote} ").job == job_of(DETAIL)


def test_the_full_width_colon_of_the_specification_is_named():
    with pytest.raises(InvalidJob) as caught:
        draft_job(JobRequest(job_text='{"job_detail": {\n"val_data_args"：{}}}'))
    (problem,) = caught.value.problems
    assert problem.line == 2
    assert "full-width colon '：' (U+FF1A) where ':' is needed" in problem.message


@pytest.mark.parametrize("text", ["[]", "3", '"text"', "null", "[{}]"])
def test_a_job_file_holds_an_object(text: str):
    with pytest.raises(InvalidJob) as caught:
        draft_job(JobRequest(job_text=text if text[0] != '"' else f"'{text}'"))
    (problem,) = caught.value.problems
    assert problem.message == "a job file holds one object {...}"
    assert problem.received == text


def test_without_a_job_nothing_can_be_done():
    with pytest.raises(InvalidJob, match="no job file was given"):
        draft_job(JobRequest())


def test_a_missing_file_is_a_problem_of_its_own(tmp_path: Path):
    with pytest.raises(InvalidJob, match="no such file"):
        draft_job(JobRequest(job_file=tmp_path / "nowhere.json"))


def test_variables_are_inserted_before_values_are_checked():
    data = {"script_name": "${PACK_PATH}$/a.py", "train_data_args": {"files": ["${DATA_PATH}$/${DATE-1d}$", 1]}}
    job = job_of(data)
    assert job.job_detail.script_name == "/pack/a.py"
    assert job.job_detail.train_data_args == {"files": ["/data/20240330", 1]}


def test_an_unknown_variable_is_placed():
    problem = problem_of({"script_name": "a.py", "model_args": {"a": [0, "${DATE-1x}$"]}})
    assert problem.path == ("model_args", "a", 1)
    assert problem.line == 6
    assert problem.message == "malformed date"


def test_paths_default_to_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PIPELINE_PACK_PATH", raising=False)
    monkeypatch.delenv("PIPELINE_EXPORT_PATH", raising=False)
    draft = draft_job(JobRequest(job_file=write(tmp_path, {"script_name": "src/a.py"})))
    assert draft.paths.data == tmp_path
    assert draft.script_path == tmp_path / "src" / "a.py"


def test_a_draft_knows_the_script_of_a_job_that_is_wrong():
    draft = draft_job(JobRequest(job_text='{"script_name": "a.py", "train_args": 3}', pack_path="/pack"))
    assert draft.script_path == Path("/pack/a.py")
    assert draft.section("train_args") == 3


LENIENT: list[dict[str, Any]] = [
    {"job_detail": {**DETAIL, "foo": 1}},
    {"job_detail": DETAIL, "foo": 1},
    {**DETAIL, "foo": 1},
    with_train_args(losses="mse", foo={"deep": 1}),
    with_train_args(losses={"type": "mse", "foo": 1}),
    with_train_args(losses=[{"type": "mse", "args": {"foo": 1}}]),
    with_train_args(metrics=[["auc"], {"type": "mse", "foo": 1}]),
    with_train_args(metrics={"out": {"type": "mse", "foo": 1}}),
    with_train_args(early_stopping={"foo": 1}),
    with_train_args(
        optimizer={
            "type": "adam",
            "args": {"lr": {"type": "constant", "args": {"learning_rate": 1, "foo": 1}}},
        }
    ),
]


def without_foo(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_foo(value) for key, value in data.items() if key != "foo"}
    return [without_foo(item) for item in data] if isinstance(data, list) else data


@pytest.mark.parametrize("data", LENIENT)
def test_lenient_leaves_unknown_keys_out_and_says_so(data: dict[str, Any]):
    assert check(data).job is None
    checked = check(data, lenient=True)
    assert checked.job == job_of(without_foo(data))
    (remark,) = checked.remarks
    assert remark.startswith("left out: --job:")
    assert "foo" in remark


def test_lenient_forgives_nothing_else():
    problems = problems_of(with_train_args(foo=1, epochs="x"), lenient=True)
    assert [problem.path[-1] for problem in problems] == ["epochs"]


def test_several_unknown_keys_are_left_out():
    checked = check({**with_train_args(foo=1, bar={}, losses="mse"), "baz": 1}, lenient=True)
    assert checked.job == job_of(with_train_args(losses="mse"))
    assert len(checked.remarks) == 3


@pytest.fixture
def best(tmp_path: Path) -> Path:
    return write(tmp_path, {"epochs": 7, "optimizer": "sgd", "units": 64}, name="best.json")


@pytest.mark.parametrize("is_flat", [True, False])
def test_best_parameters_are_laid_over_the_job(best: Path, is_flat: bool):
    detail = {
        "script_name": "a.py",
        "model_args": {"units": 1, "depth": 2},
        "train_args": {"epochs": 1, "batch_size": 3},
        "best_param_path": "${DATA_PATH}$/best.json",
    }
    job = job_of(detail if is_flat else {"job_detail": detail}, data_path=str(best.parent))
    assert job.job_detail.model_args == {"units": 64, "depth": 2}
    train_args = job.job_detail.train_args
    assert train_args is not None
    assert (train_args.epochs, train_args.batch_size, train_args.optimizer[0].type) == (7, 3, "sgd")


def test_best_parameters_give_way_to_the_command_line(best: Path):
    overrides = [f"best_param_path={best}", "train_args.epochs=9"]
    job = job_of({"job_detail": DETAIL}, overrides=overrides)
    assert job.job_detail.train_args is not None
    assert job.job_detail.train_args.epochs == 9
    assert job.job_detail.model_args == {"units": 64}


def test_a_mistake_in_the_best_parameters_is_placed_there(best: Path):
    best.write_text('{"epochs": "x"}')
    problem = problem_of({"job_detail": {**DETAIL, "best_param_path": str(best)}})
    assert problem.source == str(best)
    assert problem.path == ("job_detail", "train_args", "epochs")


@pytest.mark.parametrize(
    ("content", "message"), [(None, "no such file"), ("[1]", "must hold one object"), ("{", "never closed")]
)
def test_a_file_of_best_parameters_that_cannot_be_used_is_a_problem(tmp_path: Path, content: str | None, message: str):
    if content is not None:
        write(tmp_path, content, name="best.json")
    problem = problem_of({**DETAIL, "best_param_path": "best.json"}, data_path=str(tmp_path))
    assert message in problem.message
    assert problem.path == ("best_param_path",)
