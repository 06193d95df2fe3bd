from typing import Any

import pytest

from .jobs import check, job_of, train_args, train_args_problem, with_train_args

HUGE = 10**30

# key, default, values that are accepted as they are, values that are refused
FIELDS: list[tuple[str, Any, list[Any], list[Any]]] = [
    ("batch_size", 128, [1, 4096], ["32", 1.5, None, True, HUGE]),
    ("epochs", 1, [1, 100], ["3", 0.5, None, False]),
    ("num_samples", None, [1, 10**9, None], [0, -1, "many", 1.0]),
    ("num_val_samples", None, [0, 10, None], [-1, "x"]),
    ("class_weight", None, [{"0": 1.0, "1": 2.5}, {}, None], [[1, 2], {"0": "a"}, {"cat": 1.0}, {"-1": 1.0}, 3]),
    ("save_path", "saved_model", ["a/b", "/abs"], [1, None, ["a"]]),
    ("ckpt_path", "checkpoints", ["ckpt"], [False, None]),
    ("term_on_nan", False, [True, False], [1, "true", None]),
    ("steps_per_execution", None, [1, 50, None], [0, "auto"]),
    ("jit_compile", False, [True], ["yes"]),
    ("mix_precision", False, [True], [16]),
    ("input_squeeze", False, [True], ["no"]),
    ("inter_op_paral", 0, [0, 8], [-1, "4"]),
    ("intra_op_paral", 0, [0, 8], [-1, None]),
    ("verbose", False, [True], [2]),
    ("mw_com", "", ["", "AUTO", "NCCL", "RING"], ["MPI", None, 1]),
    ("var_partition_policy", "minsize:256k", ["maxsize:10M", "fixed"], [256, None]),
    ("seed", None, [0, 42, None], [-1, 1.5, "random"]),
    ("ungrouped", "error", ["error", "freeze"], ["ignore", True]),
    ("checkpoint.every_steps", None, [1, None], [0, -5]),
    ("checkpoint.every_seconds", 600, [0.5, 60.0, None], [0, "10m"]),
    ("checkpoint.every_epochs", 1, [2, None], [0]),
    ("checkpoint.keep", 3, [1], [0, None]),
    ("input.vectorize", True, [False], ["no", 1]),
    ("input.parallel", "auto", [4, "auto", False], [True, -1, "all", None]),
    ("input.prefetch", "auto", [0, 4, "auto"], [-1, False, "no"]),
    ("validation.model", None, ["train", "saved", None], ["both"]),
    ("validation.input_squeeze", None, [True, False, None], ["x"]),
    ("validation.every_epochs", 1, [3], [0]),
    ("gradient.clip_norm", None, [1.0, None], [0, -1, "1"]),
    ("gradient.clip_value", None, [0.5], [0]),
    ("gradient.global_clip_norm", None, [0.5], [True]),
    ("gradient.accumulate_steps", 1, [4], [0, 1.5]),
    ("devices", "auto", [1, 4, "auto"], [0, -1, "all", None, True]),
    ("restart.max_restarts", 3, [0, 10], [-1]),
    ("restart.max_preemptions", None, [0, None], [-1]),
    ("restart.hang_timeout", 600, [1.5], [0, "10m"]),
    ("restart.min_workers", None, [1, None], [0]),
    ("ema.momentum", 0.999, [0.5], [0, 1, 1.5]),
    ("early_stopping.monitor", "val_loss", ["val_auc(0)"], [1, None]),
    ("early_stopping.min_delta", 0.0, [0.001, -1.0], ["small", None]),
    ("early_stopping.patience", 0, [3], [-1, 1.5]),
    ("early_stopping.mode", "auto", ["auto", "min", "max"], ["maximum", None]),
    ("early_stopping.baseline", None, [0.5, None], ["x"]),
    ("early_stopping.restore_best_weights", True, [False], ["no"]),
    ("early_stopping.start_from_epoch", 0, [2], [-1]),
    ("tensorboard.log_dir", "summary", ["logs"], [1]),
    ("tensorboard.histogram_freq", 0, [1], [-1, True]),
    ("tensorboard.write_graph", True, [False], [0]),
    ("tensorboard.write_images", False, [True], [0]),
    ("tensorboard.update_freq", "epoch", ["batch", "epoch", 100], ["step", 0, None]),
    ("tensorboard.profile_batch", [0, 0], [[10, 20], [3, 3]], [True, -1, 1.5, [3, 2], ["a", 1], "x", [], {}, None]),
    ("tensorboard.embeddings_freq", 0, [1], [-1]),
    ("tensorboard.embeddings_metadata", None, ["a.tsv", {"layer": "a.tsv"}, None], [1, ["a"], {"layer": 1}]),
    ("train_speed_logger.every_batches", 100, [1], [0, "x"]),
    ("train_speed_logger.with_metrics", False, [True], [1]),
]  # fmt: skip


def write(key: str, value: Any) -> dict[str, Any]:
    section, _, name = key.rpartition(".")
    return {section: {name: value}} if section else {name: value}


def read(key: str, **written: Any) -> Any:
    value: Any = train_args(**written)
    for part in key.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("key", "default"), [(key, default) for key, default, _, _ in FIELDS])
def test_defaults(key: str, default: Any):
    section = key.rpartition(".")[0]
    assert read(key, **({section: {}} if section else {})) == default


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, _, values, _ in FIELDS for value in values])
def test_accepted(key: str, value: Any):
    assert read(key, **write(key, value)) == value


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, _, _, values in FIELDS for value in values])
def test_refused_with_one_message_at_its_place(key: str, value: Any):
    problem = train_args_problem(**write(key, value))
    assert problem.path == ("job_detail", "train_args", *key.split("."))
    assert problem.received is not None
    assert problem.source == "--job"
    assert problem.line is not None


@pytest.mark.parametrize("section", ["ema", "early_stopping", "tensorboard", "train_speed_logger"])
def test_a_plug_in_is_off_until_it_is_named(section: str):
    assert getattr(train_args(), section) is None
    assert getattr(train_args(**{section: {}}), section) is not None
    assert train_args_problem(**{section: True}).message == "needs an object {...}"


@pytest.mark.parametrize("section", ["checkpoint", "input", "validation", "gradient", "restart"])
def test_a_section_that_is_always_there_cannot_be_null(section: str):
    assert train_args_problem(**{section: None}).message == "needs an object {...}"


@pytest.mark.parametrize("key", ["losses", "metrics", "weighted_metrics"])
def test_losses_and_metrics_may_be_left_out(key: str):
    assert getattr(train_args(), key) is None
    assert getattr(train_args(**{key: None}), key) is None


@pytest.mark.parametrize(("key", "default"), [("batch_size", 128), ("epochs", 1)])
@pytest.mark.parametrize("value", [0, -5])
def test_0_and_less_mean_the_default_and_that_is_said(key: str, default: int, value: int):
    checked = check(with_train_args(**{key: value}))
    assert checked.job is not None
    assert getattr(checked.job.job_detail.train_args, key) == default
    assert checked.remarks == [f"train_args.{key}: {value} means the default, {default}"]


@pytest.mark.parametrize(
    ("written", "meant"), [(5, [5, 5]), ([5], [5, 5]), ([5, 9], [5, 9]), ("5", [5, 5]), ("5, 9", [5, 9]), (0, [0, 0])]
)
def test_forms_of_profile_batch(written: Any, meant: list[int]):
    assert read("tensorboard.profile_batch", tensorboard={"profile_batch": written}) == meant


@pytest.mark.parametrize("section", ["", "validation"])
@pytest.mark.parametrize(("written", "meant"), [(0, [0]), ("uid", ["uid"]), ([0, "uid"], [0, "uid"]), (None, None)])
def test_inputs_are_excluded_by_position_or_name(section: str, written: Any, meant: Any):
    key = f"{section}.model_call_exclude_input_index".strip(".")
    assert read(key, **write(key, written)) == meant


@pytest.mark.parametrize("value", [-1, 1.5, True, {}, [[0]], [None]])
def test_an_excluded_input_is_a_position_or_a_name(value: Any):
    problem = train_args_problem(model_call_exclude_input_index=value)
    assert problem.message == "needs the position or the name of an input"


def test_only_one_kind_of_clipping():
    problem = train_args_problem(gradient={"clip_norm": 1, "clip_value": 1})
    assert problem.message == "only one kind of clipping can be chosen"
    assert problem.received == "clip_norm, clip_value"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"tensorboard": {"profile_batch": ["a", 1]}}, 'needs a batch, or the first and the last batch: 10, [10, 20]'),
        ({"class_weight": {"a": 1.0}}, 'needs a weight for each label: {"0": 1.0, "1": 5.0}'),
        ({"tensorboard": {"embeddings_metadata": 1}}, "needs a path, or a path for each layer's name"),
        ({"tensorboard": {"update_freq": "x"}}, 'needs "batch", "epoch" or a whole number above 0'),
        ({"input": {"parallel": "x"}}, 'needs a whole number above 0, "auto" or false'),
        ({"batch_size": HUGE}, "needs a whole number that fits into 64 bits"),
    ],
)  # fmt: skip
def test_values_of_several_types_are_refused_in_one_sentence(written: dict[str, Any], message: str):
    assert train_args_problem(**written).message.startswith(message)


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("train_type", "custom_loop", "one loop"),
        ("train_type", "compile_fit", "one loop"),
        ("version", "1.0", "model repository"),
        ("tf_log_level", "info", "verbose"),
        ("log_device", True, "not supported"),
        ("gpu_mem_growth", True, "always on"),
        ("debug", True, "not supported"),
        *[(f"nni_{name}", "x", "NNI") for name in ("search", "metric", "batch", "exp_id", "trial_id", "record")],
    ],
)
def test_a_key_without_meaning_is_accepted_and_named(key: str, value: Any, word: str):
    (remark,) = check(with_train_args(**{key: value})).remarks
    assert remark.startswith(f"job_detail.train_args.{key}: ")
    assert word in remark


def test_a_key_without_meaning_in_a_plug_in_is_named_too():
    remarks = check(with_train_args(early_stopping={"verbose": 1}, tensorboard={"write_grads": True})).remarks
    assert [remark.partition(":")[0] for remark in remarks] == [
        "job_detail.train_args.early_stopping.verbose",
        "job_detail.train_args.tensorboard.write_grads",
    ]


def test_a_job_without_such_keys_gives_no_remark():
    assert check(with_train_args(losses="mse", tensorboard={})).remarks == []


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("verboase", "verbose"), ("epoch", "epochs"), ("loss", "losses"), ("earlystopping", "early_stopping")],
)
def test_an_unknown_key_is_refused_with_what_was_meant(key: str, nearest: str):
    problem = train_args_problem(**{key: 1})
    assert problem.message == f"unknown key {key!r}"
    assert problem.nearest == nearest
    assert problem.allowed is not None
    assert "batch_size" in problem.allowed


def test_train_args_may_be_left_out():
    assert job_of({"script_name": "a.py"}).job_detail.train_args is None
