import pytest

from runyard.config import MetricSpec, OptimizerSpec

from .jobs import job_of, train_args, train_args_problem, with_train_args


def test_an_unknown_name_is_answered_with_the_names_there_are():
    problem = train_args_problem(optimizer="adma")
    assert "no optimizer is called 'adma'" in problem.message
    assert problem.allowed is not None
    assert "rmsprop" in problem.allowed
    assert problem.nearest == "adam"


@pytest.mark.parametrize("key", ["losses", "metrics"])
def test_a_loss_or_metric_may_be_a_factory_of_the_script(key: str):
    data = with_train_args(**{key: "my_own"})
    assert job_of(data, factories=frozenset({"my_own"}))
    assert job_of(data, factories=None)
    assert "the script defines no function of that name" in train_args_problem(**{key: "my_own"}).message


def test_an_optimizer_may_not():
    assert "no optimizer" in train_args_problem(optimizer="my_own").message


def test_arguments_are_checked_against_the_class():
    problem = train_args_problem(losses={"type": "bce", "args": {"from_logit": True}})
    assert problem.message == "BinaryCrossentropy has no argument 'from_logit'"
    assert problem.nearest == "from_logits"
    assert problem.path[-2:] == ("args", "from_logit")


def test_a_wrong_value_of_an_argument_is_shown():
    problem = train_args_problem(losses={"type": "bce", "args": {"from_logits": "yes"}})
    assert (problem.received, problem.allowed) == ('"yes"', "true or false")


def test_a_required_argument_is_asked_for():
    problem = train_args_problem(losses="phinge")
    assert "needs the argument 'margin'" in problem.message


def test_the_arguments_of_a_factory_are_the_scripts_business():
    spec = {"type": "my_own", "args": {"anything": [1]}}
    assert job_of(with_train_args(losses=spec), factories=frozenset({"my_own"}))


@pytest.mark.parametrize("value", ["pcgrade", "", 1])
def test_the_only_gradient_process_is_pcgrad(value: object):
    problem = train_args_problem(optimizer={"type": "adam", "grad_process": value})
    assert problem.allowed == "pcgrad"


@pytest.mark.parametrize("weight", ["1", None, True, [1]])
def test_a_weight_is_a_number(weight: object):
    assert "number" in train_args_problem(losses={"type": "mse", "weight": weight}).message


def test_lr_is_a_second_name_of_the_learning_rate():
    assert OptimizerSpec(type="adam", args={"lr": 0.1}).learning_rate == 0.1
    assert OptimizerSpec(type="adam", args={"lr": 0.1, "learning_rate": 0.2}).learning_rate == 0.2
    assert train_args().optimizer[0].learning_rate is None


def test_a_metric_is_called_as_it_is_written():
    assert MetricSpec(type="AUC").name == "auc"
    assert MetricSpec(type="auc", args={"name": "my_AUC"}).name == "my_AUC"
