"""When a hook evaluates."""

import pytest

from moxing.tensorflow.executor.hooks.period import EvaluationPeriod


def period(**changed: float) -> EvaluationPeriod:
    usual = {"batch_size": 32, "samples_in_train": 1000, "samples_in_eval": 100, "every_n_epochs": 1}
    return EvaluationPeriod(**(usual | changed))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("changed", "clones", "steps"),
    [
        ({}, 1, 32),
        ({"samples_in_train": 640}, 1, 20),
        ({"samples_in_train": 3301, "batch_size": 64}, 4, 13),
        ({"every_n_epochs": 3}, 1, 96),
        ({"every_n_epochs": 0.5}, 1, 16),
        ({"samples_in_train": 1}, 8, 1),
        ({"samples_in_train": 1, "every_n_epochs": 0.1}, 1, 1),
    ],
)
def test_steps_between_two_evaluations(changed: dict[str, float], clones: int, steps: int) -> None:
    assert period(**changed).steps(num_clones=clones) == steps


def test_an_evaluation_sees_all_samples() -> None:
    assert period().batches(num_clones=1) == 4
    assert period().batches(num_clones=2) == 2
    assert period(samples_in_eval=32).batches(num_clones=1) == 1


@pytest.mark.parametrize("name", ["batch_size", "samples_in_train", "samples_in_eval", "every_n_epochs"])
def test_nothing_may_be_zero(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=0 of an evaluation hook"):
        period(**{name: 0})
