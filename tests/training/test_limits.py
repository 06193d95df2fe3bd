"""Where a training, its epochs and its calls end."""

import pytest

from runyard.training.boundaries import At, Every
from runyard.training.limits import Limits, steps_in_epoch


@pytest.mark.parametrize(
    ("epochs", "step", "reason"),
    [
        (0, 0, None),
        (1, 9, None),
        (2, 9, "2 epochs done"),
        (0, 10, "10 steps done"),
        (2, 10, "2 epochs done"),
    ],
)
def test_a_training_ends_after_its_epochs_or_steps(epochs: int, step: int, reason: str | None) -> None:
    assert Limits(epochs=2, max_steps=10).reached(epochs=epochs, step=step) == reason


def test_one_is_told_in_the_singular() -> None:
    assert Limits(epochs=1).reached(epochs=1, step=5) == "1 epoch done"
    assert Limits(epochs=9, max_steps=1).reached(epochs=0, step=1) == "1 step done"


def test_a_call_ends_where_its_epoch_does() -> None:
    limits = Limits(epochs=1, steps_per_epoch=10)
    assert [limits.within_epoch(4, batch=batch) for batch in (0, 6, 7, 9)] == [4, 4, 3, 1]
    assert Limits(epochs=1).within_epoch(4, batch=1_000) == 4


def test_calls_end_at_checkpoints_and_at_the_last_step() -> None:
    assert Limits(epochs=1).boundaries == []
    assert set(Limits(epochs=1, max_steps=7, checkpoint_every=3).boundaries) == {At(7), Every(3)}


def test_the_last_batch_of_an_epoch_may_be_smaller() -> None:
    assert [steps_in_epoch(rows, batch_size=4) for rows in (1, 4, 5)] == [1, 1, 2]
