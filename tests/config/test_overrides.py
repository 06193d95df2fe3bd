from typing import Any

import pytest

from .jobs import DETAIL, job_of, problem_of, with_train_args

JOB: dict[str, Any] = {
    "job_detail": {
        "script_name": "train.py",
        "train_args": {"losses": ["mse", "mae"], "optimizer": {"type": "adam", "args": {"lr": 0.1}}},
    }
}


def section(name: str, *overrides: str, data: Any = JOB) -> Any:
    return getattr(job_of(data, overrides=overrides).job_detail, name)


@pytest.mark.parametrize("prefix", ["", "job_detail."])
@pytest.mark.parametrize("data", [JOB, JOB["job_detail"]])
def test_job_detail_may_be_left_out_of_the_path(prefix: str, data: Any):
    assert section("train_args", f"{prefix}train_args.epochs=3", data=data).epochs == 3


@pytest.mark.parametrize("position", ["[1]", ".1"])
def test_items_of_lists_are_replaced(position: str):
    losses = section("train_args", f"train_args.losses{position}=bce").losses.in_order
    assert [loss.type for loss in losses] == ["mse", "bce"]


def test_objects_on_the_way_are_made():
    assert section("train_args", "train_args.checkpoint.keep=5").checkpoint.keep == 5
    assert section("predict_args", "pred_args.batch_size=5").batch_size == 5


def test_the_envelope_is_reached():
    assert job_of(JOB, overrides=["num_workers=3"]).num_workers == 3


def test_a_key_of_the_envelope_that_stands_in_job_detail_is_reached_there():
    detail = {**JOB["job_detail"], "num_workers": 2}
    for data in ({"job_detail": detail}, {"job_detail": JOB["job_detail"], "num_workers": 2}, detail):
        assert job_of(data, overrides=["num_workers=3"]).num_workers == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("1e-3", 0.001), ("true", True), ("null", None), ('"3"', "3"), ("[1, 2]", [1, 2]), ("", ""),
        ('{"a": {"b": 1}}', {"a": {"b": 1}}), ("some text", "some text"), ("a=b", "a=b"), ("NaN", "NaN"),
        ("s3://bucket/x", "s3://bucket/x"), ("${DATA_PATH}$/x", "/data/x"), ("1" * 5000, "1" * 5000),
        ('"\\ud800"', '"\\ud800"'), ("训练", "训练"),
    ],
)  # fmt: skip
def test_a_value_is_json_or_else_text(text: str, value: Any):
    assert section("model_args", f"model_args.a={text}") == {"a": value}


def test_numbers_are_keys_in_objects():
    assert section("train_args", "train_args.class_weight.0=2.5").class_weight == {"0": 2.5}
    assert section("model_args", "model_args.007.²=1") == {"007": {"²": 1}}


def test_later_ones_win():
    assert section("train_args", "train_args.epochs=3", "train_args.epochs=4").epochs == 4


@pytest.mark.parametrize(
    "text", ["", "=", "epochs", "a..b=1", ".a=1", "a[x]=1", "a[0=1", "[0]=1", "a" + ".a" * 500 + "=1"]
)
def test_what_is_no_assignment_is_refused(text: str):
    problem = problem_of(JOB, overrides=[text])
    assert problem.message == "needs the form path.to.key=value"
    assert problem.source == f"--set {text}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("train_args.losses[2]=mse", "no item 2 in a list of 2"),
        ("train_args.losses.x=mse", "no item 'x' in a list of 2"),
        ("train_args.losses[" + "9" * 5000 + "]=1", "in a list of 2"),
        ("script_name.x=1", "cannot set 'x' below \"train.py\", which is neither an object nor a list"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(text: str, message: str):
    problem = problem_of(JOB, overrides=[text])
    assert problem.message.endswith(message)
    assert problem.source == f"--set {text}"


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("train_args.epochs=many", ("train_args", "epochs"), "needs a whole number"),
        ("train_args.epoch=3", ("train_args", "epoch"), "unknown key 'epoch'"),
        ("train_arg.epochs=3", ("train_arg",), "unknown key 'train_arg'"),
        ("train_args.losses[0]=msee", ("train_args", "losses", 0), "no loss is called 'msee'"),
        ("train_args.optimizer.args.lr=-1", ("train_args", "optimizer", "args", "lr"), "cannot take this value"),
        ("train_args.class_weight.0=x", ("train_args", "class_weight"), "needs a weight for each label"),
        ("model_args.a=${NOPE}$", ("model_args", "a"), "unknown variable"),
        ('train_args={"input": {"prefetch": -1}}', ("train_args", "input", "prefetch"), "needs a whole number"),
    ],
)
def test_a_wrong_value_is_traced_to_the_command_line(text: str, path: Any, message: str):
    problem = problem_of(JOB, overrides=[text])
    assert message in problem.message
    assert problem.path == ("job_detail", *path)
    assert problem.source == f"--set {text}"
    assert problem.line is None


def test_a_mistake_of_the_file_is_not_blamed_on_the_command_line():
    problem = problem_of(with_train_args(epochs="x"), overrides=["train_args.batch_size=3"])
    assert problem.source == "--job"


def test_the_last_one_to_write_is_blamed():
    overrides = ["train_args.input.prefetch=2", 'train_args.input={"prefetch": -1}']
    assert problem_of(JOB, overrides=overrides).source == f"--set {overrides[1]}"


def test_an_argument_that_is_no_text_can_still_be_shown():
    problem = problem_of(DETAIL, overrides=["model_args.a=\udcff"])
    assert problem.message == "is not UTF-8 text"
    assert str(problem).encode().startswith(b"--set model_args.a=\\udcff: ")


NAMES: dict[str, Any] = {
    "script_name": "train.py",
    "train_args": {
        "optimizer": "adam",
        "losses": {"click": "bce", "buy": "mse"},
        "metrics": ["auc", "accuracy"],
        "weighted_metrics": "mae",
    },
}


@pytest.mark.parametrize("data", [NAMES, {"job_detail": NAMES}])
def test_arguments_can_be_given_to_what_the_file_only_names(data: Any):
    overrides = [
        "train_args.optimizer.args.learning_rate=0.5",
        "train_args.losses.click.weight=3",
        "train_args.metrics[0].args.name=area",
        "train_args.weighted_metrics.args.name=distance",
    ]
    args = section("train_args", *overrides, data=data)
    assert (args.optimizer[0].type, args.optimizer[0].learning_rate) == ("adam", 0.5)
    assert (args.losses.by_output["click"].type, args.losses.by_output["click"].weight) == ("bce", 3)
    assert [metric.name for metric in args.metrics.every_output] == ["area", "accuracy"]
    assert args.weighted_metrics.every_output[0].name == "distance"


@pytest.mark.parametrize("written", [{}, {"optimizer": None}])
def test_the_default_optimizer_takes_arguments_too(written: Any):
    data = {"script_name": "train.py", "train_args": {"losses": "mse", **written}}
    (optimizer,) = section("train_args", "train_args.optimizer.args.lr=0.5", data=data).optimizer
    assert (optimizer.type, optimizer.learning_rate) == ("adam", 0.5)
    (optimizer,) = section("train_args", "train_args.optimizer.type=sgd", data=data).optimizer
    assert optimizer.type == "sgd"


def test_only_names_of_optimizers_losses_and_metrics_become_objects():
    problem = problem_of(NAMES, overrides=["script_name.args=1"])
    assert "which is neither an object nor a list" in problem.message
    problem = problem_of({**NAMES, "model_args": {"name": "x"}}, overrides=["model_args.name.args=1"])
    assert "which is neither an object nor a list" in problem.message


def test_a_wrong_argument_of_a_mere_name_is_traced_to_the_command_line():
    problem = problem_of(NAMES, overrides=["train_args.optimizer.args.rate=1"])
    assert problem.message == "Adam has no argument 'rate'"
    assert problem.source == "--set train_args.optimizer.args.rate=1"


def test_a_list_is_reached_by_position():
    problem = problem_of(NAMES, overrides=["train_args.metrics.args.name=x"])
    assert problem.message == "no item 'args' in a list of 2"
    assert problem.hint == "items go by their position, such as train_args.metrics[0]"


@pytest.mark.parametrize("value", ['["auc"', "[auc]", '{"type": "auc"', '"auc'])
def test_broken_json_has_a_hint_about_quoting(value: str):
    problem = problem_of(JOB, overrides=[f"train_args.metrics={value}"])
    assert problem.hint == (
        "the value begins like JSON but is none, so it was taken as text; the shell needs quotes: "
        '--set \'train_args.metrics=["x", "y"]\''
    )


@pytest.mark.parametrize("text", ["train_args.metrics=acu", "train_args.metrics=[1]", 'train_args.metrics="["'])
def test_other_mistakes_have_no_hint_about_quoting(text: str):
    assert problem_of(JOB, overrides=[text]).hint is None


def test_a_text_that_only_begins_like_json_is_a_text():
    assert section("predict_args", "predict_args.row_format={row_id} {output}").row_format == "{row_id} {output}"
