import pytest

from runyard.config.key_homes import where_it_belongs
from tests.config.jobs import problem_of, train_args_problem


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("epochs", "'epochs' belongs into train_args"),
        ("max_restarts", "'max_restarts' belongs into train_args.restart"),
        ("num_pss", "'num_pss' belongs into the top level of the job file"),
        ("batch_size", "'batch_size' belongs into train_args, eval_args or predict_args"),
        ("grad_process", "'grad_process' belongs into train_args.optimizer"),
        ("every_output", None),
        ("nni_search", None),
        ("no such key", None),
    ],
)
def test_a_key_belongs_where_it_means_something(key: str, hint: str | None):
    assert where_it_belongs(key, wrapped=True) == hint


def test_without_job_detail_its_keys_are_at_the_top_level():
    assert where_it_belongs("model_args", wrapped=True) == "'model_args' belongs into job_detail"
    assert where_it_belongs("model_args", wrapped=False) == "'model_args' belongs into the top level of the job file"


def test_an_unknown_key_that_is_known_elsewhere_says_where():
    problem = train_args_problem(losses="mse", shard_policy="FILE")
    assert problem.message == "unknown key 'shard_policy'"
    data = ("train_data_args", "val_data_args", "test_data_args or predict_data_args")
    assert problem.hint == f"'shard_policy' belongs into {', '.join(data)}"
    at_the_top = problem_of({"script_name": "a.py", "train_args": {"losses": "mse"}, "seed": 3})
    assert at_the_top.hint == "'seed' belongs into train_args"
