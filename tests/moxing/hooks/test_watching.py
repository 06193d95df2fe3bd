"""Whether a number still gets better, and what follows."""

import math

import pytest

from moxing.tensorflow.executor.hooks.watching import Best, Decision, EarlyStop, Plateau, larger_is_better


@pytest.mark.parametrize("name", ["acc", "val_accuracy", "AUC", "top1", "recall_at_5", "f1_score"])
def test_names_that_should_grow(name: str) -> None:
    assert larger_is_better(name, mode="auto")
    assert not larger_is_better(name, mode="min")


@pytest.mark.parametrize("name", ["loss", "error", "mse", "perplexity"])
def test_names_that_should_fall(name: str) -> None:
    assert not larger_is_better(name, mode="auto")
    assert larger_is_better(name, mode="max")


def test_there_are_three_modes() -> None:
    with pytest.raises(ValueError, match=r"mode='biggest' .*\n  hint: it is one of auto, min, max"):
        larger_is_better("loss", mode="biggest")


def stops_at(values: list[float], *, larger: bool = True, min_delta: float = 0.0, patience: int) -> int | None:
    early = EarlyStop(Best(larger=larger, min_delta=min_delta), patience=patience)
    return next((index for index, value in enumerate(values, start=1) if early.should_stop(value)), None)


def test_the_fourth_evaluation_is_the_first_that_can_stop_with_a_patience_of_three() -> None:
    assert stops_at([0.0] * 9, min_delta=0.01, patience=3) == 4


def test_an_improvement_starts_the_count_anew() -> None:
    assert stops_at([0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2], patience=3) == 7
    assert stops_at([3, 2, 1, 0], larger=False, patience=1) is None
    assert stops_at([1, 2], larger=False, patience=1) == 2


def test_an_improvement_that_is_too_small_is_none() -> None:
    assert stops_at([0.5, 0.505, 0.509], min_delta=0.01, patience=2) == 3
    assert stops_at([0.5, 0.52, 0.54], min_delta=-0.01, patience=2) is None


def test_patience_of_zero_stops_at_the_first_that_is_no_better() -> None:
    assert stops_at([1, 2, 2], patience=0) == 3


def test_what_is_no_number_is_no_improvement() -> None:
    assert stops_at([math.nan, math.nan], patience=2) == 2
    assert stops_at([math.nan, 1.0, math.nan, 2.0], patience=2) is None


def decisions(values: list[float], *, patience: int = 2, cooldown: int = 0, stop_after: int = 3) -> str:
    plateau = Plateau(Best(larger=True, min_delta=0.0), patience=patience, cooldown=cooldown, stop_after=stop_after)
    letters = {Decision.GO_ON: ".", Decision.LOWER: "v", Decision.STOP: "X"}
    return "".join(letters[plateau.decide(value)] for value in values)


def test_every_plateau_lowers_until_there_were_too_many() -> None:
    assert decisions([1.0] * 7) == "..v.v.X"
    assert decisions([1.0] * 3, patience=1, stop_after=2) == ".vX"


def test_an_improvement_forgives_all_plateaus() -> None:
    assert decisions([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]) == "..v.v..v.v.X"


def test_what_follows_a_plateau_is_not_counted_while_it_cools_down() -> None:
    assert decisions([1.0] * 9, cooldown=2) == "..v...v.."
