import ast

import pytest

from runyard.script.arguments import Arguments, arguments_for
from runyard.script.contract import (
    CALLBACKS,
    CREATE_MODEL,
    GROUP_VARIABLES,
    LOAD_MODEL,
    MODEL_TO_SAVE,
    TRAIN_DATASET,
    Callback,
    Returns,
    factory_callback,
)
from runyard.script.signature import signature_in_tree

FACTORIES = (factory_callback("my_loss", returns=Returns.LOSS), factory_callback("my_metric", returns=Returns.METRIC))
EVERY = pytest.mark.parametrize("callback", (*CALLBACKS, *FACTORIES), ids=lambda callback: callback.name)


def values(callback: Callback) -> dict[str, object]:
    return {name: f"our {name}" for name in (*callback.given, *callback.injected)}


def bind(callback: Callback, parameters: str, *, lenient: bool = False, **config: object) -> Arguments:
    node = ast.parse(f"def f({parameters}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    signature = signature_in_tree(node, file="train.py")
    return arguments_for(callback, signature=signature, config=config, injectable=values(callback), lenient=lenient)


def messages(arguments: Arguments) -> list[str]:
    return [problem.message for problem in arguments.problems]


def subjects(callback: Callback) -> str:
    return ", ".join([*("model_" * callback.positional,), *callback.given]).strip(", ")


@EVERY
def test_what_can_be_injected_is_passed_when_declared(callback: Callback):
    declared = ", ".join(part for part in (subjects(callback), *callback.injected) if part)
    bound = bind(callback, declared)
    assert bound.keywords == values(callback)
    assert not bound.problems


@EVERY
def test_nothing_is_injected_that_is_not_declared(callback: Callback):
    bound = bind(callback, subjects(callback))
    assert set(bound.keywords) == set(callback.given)
    assert not bound.problems
    assert not bound.remarks


@EVERY
def test_keyword_only_parameters_are_declared(callback: Callback):
    start = f"{subjects(callback)}, *" if subjects(callback) else "*"
    bound = bind(callback, ", ".join((start, "size", *callback.injected)), size=3)
    assert bound.keywords == {**values(callback), "size": 3}
    assert not bound.problems


@EVERY
def test_any_keyword_receives_arguments_of_the_config_and_the_subject_only(callback: Callback):
    bound = bind(callback, ", ".join(part for part in (subjects(callback), "**kwargs") if part), size=3, batch=4)
    assert bound.keywords == {"size": 3, "batch": 4, **{name: f"our {name}" for name in callback.given}}
    assert not bound.problems


@EVERY
def test_an_argument_that_is_not_taken_is_a_problem_with_the_nearest_name(callback: Callback):
    bound = bind(callback, ", ".join(part for part in (subjects(callback), "feat_num=1") if part), feat_nun=3)
    (problem,) = bound.problems
    assert problem.message == "f (train.py:1) takes no 'feat_nun'"
    assert problem.argument == "feat_nun"
    assert problem.allowed == ", ".join((*callback.given, "feat_num"))
    assert problem.nearest == "feat_num"


@EVERY
def test_lenient_leaves_out_what_is_not_taken(callback: Callback):
    bound = bind(callback, subjects(callback), lenient=True, feat_num=3)
    assert "feat_num" not in bound.keywords
    assert not bound.problems
    assert bound.remarks == ["f (train.py:1) takes no 'feat_num': left out"]


@EVERY
def test_a_required_parameter_that_nothing_gives_is_a_problem(callback: Callback):
    bound = bind(callback, ", ".join(part for part in (subjects(callback), "feat_num") if part))
    (problem,) = bound.problems
    assert problem.message.startswith("f (train.py:1) requires 'feat_num', which ")
    assert (callback.section or "is not among what it can be given") in problem.message
    assert problem.argument is None


@EVERY
def test_what_is_injected_wins_over_the_config_with_a_remark(callback: Callback):
    for name in set(callback.injected) - callback.optional_keys:
        bound = bind(callback, ", ".join(part for part in (subjects(callback), name) if part), **{name: "the user's"})
        assert bound.keywords[name] == f"our {name}"
        assert bound.remarks == [f"f (train.py:1): {name!r} of the job file is not used, Runyard injects it"]
        assert not bound.problems


@EVERY
def test_keys_that_are_for_runyard_need_not_be_declared(callback: Callback):
    bound = bind(callback, subjects(callback), **dict.fromkeys(callback.optional_keys, "a value"))
    assert not bound.problems
    assert not bound.remarks
    assert set(bound.keywords) == set(callback.given)


def test_the_keys_that_are_for_runyard():
    assert CREATE_MODEL.optional_keys == {"name", "continue_training", "continue_training_model_path"}
    assert TRAIN_DATASET.optional_keys == {"shard_policy"}
    assert factory_callback("f", returns=Returns.METRIC).optional_keys == {"name"}
    assert not factory_callback("f", returns=Returns.LOSS).optional_keys


def test_keys_that_are_for_runyard_are_passed_when_declared():
    assert bind(CREATE_MODEL, "name", name="mlp").keywords == {"name": "mlp"}


def test_a_shard_policy_of_the_job_file_decides_what_is_injected_so_nothing_is_remarked():
    bound = bind(TRAIN_DATASET, "shard_policy", shard_policy="FILE")
    assert bound.keywords == {"shard_policy": "our shard_policy"}
    assert not bound.remarks


def test_a_misspelt_name_of_what_can_be_injected_is_recognised():
    (problem,) = bind(TRAIN_DATASET, "file, batchsize", file="a.csv").problems
    assert problem.nearest == "batch_size"


def test_several_problems_are_found_at_once():
    bound = bind(TRAIN_DATASET, "path, size, batch_size", file="a.csv", sise=3)
    assert messages(bound) == [
        "f (train.py:1) takes no 'file'",
        "f (train.py:1) takes no 'sise'",
        "f (train.py:1) requires 'path', which train_data_args does not give",
        "f (train.py:1) requires 'size', which train_data_args does not give",
    ]


class TestByPosition:
    @pytest.mark.parametrize("callback", [MODEL_TO_SAVE, GROUP_VARIABLES], ids=lambda callback: callback.name)
    @pytest.mark.parametrize("parameters", ["m", "m, /", "m=None", "*args", "*models, **kwargs", "m, *rest"])
    def test_the_model_may_have_any_name(self, callback: Callback, parameters: str):
        bound = bind(callback, parameters)
        assert not bound.problems
        assert not bound.keywords

    @pytest.mark.parametrize("parameters", ["", "*, model=None", "**kwargs"])
    def test_the_model_must_have_a_place(self, parameters: str):
        assert messages(bind(MODEL_TO_SAVE, parameters)) == [
            "f (train.py:1) must take the model as its first parameter"
        ]

    def test_the_config_cannot_give_the_model(self):
        assert messages(bind(MODEL_TO_SAVE, "model, **kwargs", model=1)) == ["f (train.py:1) takes no 'model'"]

    def test_beside_a_nameless_model_the_config_may_use_its_name(self):
        assert bind(MODEL_TO_SAVE, "model, /, **kwargs", model=1).keywords == {"model": 1}

    def test_args_take_nothing_from_the_config(self):
        assert messages(bind(CREATE_MODEL, "*args", size=1)) == ["f (train.py:1) takes no 'size'"]

    def test_all_of_args_and_kwargs_take_the_config(self):
        assert bind(CREATE_MODEL, "*args, **kwargs", size=1).keywords == {"size": 1}

    def test_other_parameters_must_have_names(self):
        bound = bind(CREATE_MODEL, "size, /", size=1)
        assert "f (train.py:1) takes 'size' by position only, but Runyard passes it by name" in messages(bound)


class TestLoadModel:
    def test_path_and_name_are_given(self):
        bound = bind(LOAD_MODEL, "path, name, extra", extra=1)
        assert bound.keywords == {"path": "our path", "name": "our name", "extra": 1}

    def test_a_function_may_take_the_path_alone(self):
        bound = bind(LOAD_MODEL, "path")
        assert bound.keywords == {"path": "our path"}
        assert bound.remarks == ["f (train.py:1) takes no 'name', which Runyard could give it"]

    def test_other_names_are_problems_that_say_the_right_one(self):
        bound = bind(LOAD_MODEL, "paths, nam")
        assert [problem.nearest for problem in bound.problems] == ["path", "name"]

    def test_args_have_no_names(self):
        assert messages(bind(LOAD_MODEL, "path, *args")) == [
            "f (train.py:1) must take 'name' by its name, not within *args"
        ]

    def test_the_purpose_is_injected(self):
        assert bind(LOAD_MODEL, "path, name, purpose").keywords["purpose"] == "our purpose"
