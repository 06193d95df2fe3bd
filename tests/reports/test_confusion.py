import numpy as np
import pytest

from runyard.reports.confusion import confusion
from runyard.reports.rows import ClassRows


def _rows(labels: list[int], predictions: list[int], *, weights: list[float] | None = None) -> ClassRows:
    return ClassRows(
        labels=np.array(labels),
        predictions=np.array(predictions),
        weights=None if weights is None else np.array(weights),
        remarks=(),
    )


def test_pairs_are_counted() -> None:
    found = confusion(_rows([0, 0, 2, 2, 2], [0, 2, 2, 2, 7]))
    assert list(found.classes) == [0, 2, 7]
    assert found.counts.tolist() == [[1, 1, 0], [0, 2, 1], [0, 0, 0]]
    assert found.accuracy == pytest.approx(3 / 5)


def test_weights_count() -> None:
    found = confusion(_rows([0, 1], [0, 0], weights=[3.0, 0.5]))
    assert found.counts.tolist() == [[3, 0], [0.5, 0]]
    assert found.accuracy == pytest.approx(3 / 3.5)


def test_rare_classes_are_counted_together() -> None:
    labels, predictions = [5, 5, 5, 9, 9, 1, 2], [5, 1, 2, 9, 9, 1, 1]
    found = confusion(_rows(labels, predictions), most=2)
    assert list(found.classes) == [5, 9]
    assert found.left_out == 2
    assert found.counts.tolist() == [[1, 0, 2], [0, 2, 0], [0, 0, 2]]
    assert found.accuracy == pytest.approx(4 / 7)


def test_counts_agree_with_a_loop() -> None:
    random = np.random.default_rng(1)
    labels, predictions = random.integers(-3, 60, size=(2, 2000)).tolist()
    found = confusion(_rows(labels, predictions), most=30)
    places = {int(name): place for place, name in enumerate(found.classes)}
    expected = np.zeros((31, 31))
    for label, prediction in zip(labels, predictions, strict=True):
        expected[places.get(label, 30), places.get(prediction, 30)] += 1
    assert (found.counts == expected).all()
