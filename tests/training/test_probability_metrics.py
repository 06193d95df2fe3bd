from typing import Any

import numpy as np
import pytest

from runyard.errors import DataError
from runyard.training.probability_metrics import calibration, expected_calibration_error, log_loss


def log_loss_of(labels: Any, chances: Any, weights: Any) -> float:
    losses = [-np.log(chance if label else 1 - chance) for label, chance in zip(labels, chances, strict=True)]
    return float(np.average(losses, weights=weights))


def calibration_of(labels: Any, chances: Any, weights: Any) -> float | None:
    observed = np.average(labels, weights=weights)
    return np.average(chances, weights=weights) / observed if observed else None


def calibration_error_of(labels: Any, chances: Any, weights: Any, *, bins: int = 10) -> float:
    total = 0.0
    for number in range(bins):
        inside = (chances > number / bins) & (chances <= (number + 1) / bins)
        if number == 0:
            inside |= chances == 0
        if inside.any():
            gap = np.average(chances[inside], weights=weights[inside])
            gap -= np.average(labels[inside], weights=weights[inside])
            total += abs(gap) * weights[inside].sum() / weights.sum()
    return total


@pytest.mark.parametrize(
    ("metric", "reference"),
    [(log_loss, log_loss_of), (calibration, calibration_of), (expected_calibration_error, calibration_error_of)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_of_probabilities_follow_their_definitions(metric: Any, reference: Any, weighted: bool) -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        groups, labels = random.integers(0, 30, 400), random.integers(0, 2, 400)
        labels[groups == 3] = 0
        chances = random.integers(1, 33, 400) / 33
        weights = random.uniform(0.1, 3.0, 400) if weighted else np.ones(400)
        given = (weights,) if weighted else ()
        assert metric(None, labels, chances, *given) == pytest.approx(reference(labels, chances, weights))
        by_user = [reference(labels[mine], chances[mine], weights[mine]) for mine in groups == np.arange(30)[:, None]]
        expected = np.mean([value for value in by_user if value is not None])
        names = np.array([f"user {group}".encode() for group in groups], object)
        assert metric(names, labels, chances, *given) == pytest.approx(expected)
        logits = np.log(chances) - np.log1p(-np.minimum(chances, 1 - 1e-12))
        from_logits = metric(groups, labels, logits, *given, from_logits=True)
        assert from_logits == pytest.approx(metric(groups, labels, np.minimum(chances, 1 - 1e-12), *given), rel=1e-3)


def test_log_loss_of_certainty_is_large_but_finite() -> None:
    assert log_loss(None, [1], [0.0]) == pytest.approx(-np.log(1e-7))
    assert log_loss(None, [0], [800.0], from_logits=True) == 800.0


def test_calibration_without_positive_labels_is_undefined() -> None:
    assert np.isnan(calibration(None, [0, 0], [0.1, 0.2]))
    assert calibration(["a", "b", "b"], [0, 0, 1], [0.1, 0.2, 0.3]) == pytest.approx(0.5), "a does not count"


def test_bins_of_the_calibration_error() -> None:
    assert expected_calibration_error(None, [0, 1], [0.2, 0.8], bins=1) == pytest.approx(0.0)
    assert expected_calibration_error(None, [0, 1], [0.2, 0.8], bins=2) == pytest.approx(0.2)


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"log loss needs probabilities, but 1 scores are outside 0 to 1\n.*from_logits"
    ):
        log_loss(None, [0, 1], [0.5, 1.5])
    with pytest.raises(DataError, match="calibration needs labels from 0 to 1, there are larger ones"):
        calibration(None, [0, 2], [0.5, 0.5])
