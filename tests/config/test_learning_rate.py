from typing import Any

import pytest

from runyard.config.learning_rate import Constant, Cosine, CosineArgs, Exponential, Piecewise, Polynomial

from .jobs import problems_of, train_args, train_args_problem, with_train_args

VALID: list[tuple[type, str, dict[str, Any]]] = [
    (Constant, "constant", {"learning_rate": 0.1}),
    (Exponential, "exponential", {"initial_learning_rate": 1, "decay_steps": 10, "decay_rate": 0.5}),
    (Cosine, "cosine", {"initial_learning_rate": 0.1, "decay_steps": 10}),
    (Piecewise, "piecewise", {"boundaries": [5, 10], "values": [1, 0.5, 0]}),
    (Polynomial, "polynomial", {"initial_learning_rate": 0.1, "decay_steps": 10, "power": 2, "cycle": True}),
]


def optimizer(rate: object, *, key: str = "learning_rate") -> dict[str, Any]:
    return {"type": "adam", "args": {key: rate}}


@pytest.mark.parametrize("key", ["learning_rate", "lr"])
@pytest.mark.parametrize(("kind", "name", "args"), VALID)
def test_the_kinds_of_schedules(kind: type, name: str, args: dict[str, Any], key: str):
    rate = {"type": name, "args": {**args, "warmup_steps": 3}}
    schedule = train_args(optimizer=optimizer(rate, key=key)).optimizer[0].schedule
    assert isinstance(schedule, kind)
    assert schedule.args.warmup_steps == 3
    assert {key: getattr(schedule.args, key) for key in args} == args


def test_defaults_of_a_schedule():
    args = CosineArgs(initial_learning_rate=0.1, decay_steps=10)
    assert (args.warmup_steps, args.alpha) == (0, 0.0)


@pytest.mark.parametrize(("kind", "name", "args"), VALID)
def test_every_parameter_that_has_no_default_is_asked_for(kind: type, name: str, args: dict[str, Any]):
    problems = problems_of(with_train_args(optimizer=optimizer({"type": name, "args": {}})))
    missing = {problem.message for problem in problems}
    assert missing <= {f"required key {key!r} is missing" for key in args}
    assert missing


def test_a_plain_number_is_no_schedule():
    assert train_args(optimizer=optimizer(0.1)).optimizer[0].schedule is None


@pytest.mark.parametrize("rate", [-0.1, "0.1", True, None, [0.1]])
def test_a_rate_is_a_number_from_0_on_or_a_schedule(rate: object):
    problem = train_args_problem(optimizer=optimizer(rate))
    assert problem.allowed == 'a finite number >= 0 or a schedule {"type": ..., "args": {...}}'


def test_an_unknown_schedule_is_answered_with_those_there_are():
    problem = train_args_problem(optimizer=optimizer({"type": "cosin", "args": {}}))
    assert problem.path[-3:] == ("args", "learning_rate", "type")
    assert problem.allowed == "constant, exponential, cosine, piecewise, polynomial"
    assert problem.nearest == "cosine"


def test_a_schedule_needs_a_type():
    assert train_args_problem(optimizer=optimizer({"args": {}})).message == "required key 'type' is missing"


@pytest.mark.parametrize(
    ("args", "key", "message"),
    [
        ({"decay_steps": 0}, "decay_steps", "must be greater than 0"),
        ({"decay_steps": 1.5}, "decay_steps", "needs a whole number"),
        ({"initial_learning_rate": -1}, "initial_learning_rate", "must be greater than or equal to 0"),
        ({"warmup_steps": -1}, "warmup_steps", "must be greater than or equal to 0"),
        ({"alfa": 1}, "alfa", "unknown key 'alfa'"),
    ],
)
def test_parameters_are_checked_and_placed(args: dict[str, Any], key: str, message: str):
    rate = {"type": "cosine", "args": {"initial_learning_rate": 0.1, "decay_steps": 10, **args}}
    problem = train_args_problem(optimizer=optimizer(rate, key="lr"))
    assert problem.message == message
    assert problem.path == ("job_detail", "train_args", "optimizer", "args", "lr", "args", key)


@pytest.mark.parametrize(
    ("boundaries", "values", "message"),
    [
        ([5], [1], "needs one value more than boundaries"),
        ([5, 5], [1, 2, 3], "boundaries must rise"),
        ([5, 3], [1, 2, 3], "boundaries must rise"),
    ],
)
def test_values_and_boundaries_go_together(boundaries: list[int], values: list[float], message: str):
    rate = {"type": "piecewise", "args": {"boundaries": boundaries, "values": values}}
    assert train_args_problem(optimizer=optimizer(rate)).message == message
