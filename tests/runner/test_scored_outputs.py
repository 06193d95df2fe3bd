from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow

tf = start_tensorflow(2)

from runyard.data.elements import Element  # noqa: E402
from runyard.reports.evaluation import ScoredOutput  # noqa: E402
from runyard.runner.evaluation.scored_outputs import ScoredOutputs  # noqa: E402
from runyard.training.outputs import OutputLayout  # noqa: E402

ONE = OutputLayout(("score",), (None,))


def gathered(*batches: tuple[Any, Any], weights: Any = None, weighted: bool = False) -> list[ScoredOutput]:
    scores = ScoredOutputs(weighted=weighted)
    step = tf.function(lambda labels, outputs: scores.watch(ONE, Element(None, labels, weights), outputs))
    for labels, outputs in batches:
        step(tf.constant(labels), tf.constant(outputs))
    return scores.take(model="m", dataset="d")


@pytest.mark.parametrize("labels", [[0, 1], [[0.0], [1.0]], [True, False]])
@pytest.mark.parametrize("outputs", [[0.25, 0.75], [[0.25], [0.75]]])
def test_labels_of_0_and_1_make_a_binary_output(labels: Any, outputs: Any) -> None:
    (found,) = gathered((labels, outputs), (labels, outputs))
    assert (found.model, found.dataset, found.output, found.kind) == ("m", "d", "score", "binary")
    assert found.labels.tolist() == [int(label) for label in np.ravel(labels)] * 2
    assert found.scores.tolist() == [0.25, 0.75] * 2 and found.scores.dtype == np.float32
    assert found.weights is None


@pytest.mark.parametrize("labels", [[0, 2], [[0], [2]], [0.0, 2.0], [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
def test_one_class_for_a_row_makes_classes(labels: Any) -> None:
    (found,) = gathered((labels, [[0.1, 0.7, 0.2], [0.0, 0.1, 0.9]]))
    assert (found.kind, found.labels.tolist(), found.scores.tolist()) == ("classes", [0, 2], [1, 2])


@pytest.mark.parametrize(
    ("labels", "outputs"),
    [
        ([0.5, 1.0], [0.1, 0.2]),
        ([0, 1], [0.1, float("nan")]),
        ([[1, 1, 0], [0, 0, 1]], [[0.1, 0.7, 0.2]] * 2),
        ([0, 3], [[0.1, 0.7, 0.2]] * 2),
        ([-1, 1], [[0.1, 0.7, 0.2]] * 2),
        ([[0, 1]], [[[0.1], [0.2]]]),
    ],
)
def test_everything_else_is_passed_over(labels: Any, outputs: Any) -> None:
    assert gathered((labels, outputs)) == []


def test_an_output_that_turns_out_to_be_another_kind_is_dropped() -> None:
    assert gathered(([0.0, 1.0], [0.1, 0.2]), ([0.0, 3.0], [0.1, 0.2]), ([0.0, 1.0], [0.1, 0.2])) == []


def test_weights_are_gathered_when_metrics_heed_them() -> None:
    weights = tf.constant([2.0, 3.0])
    (found,) = gathered(([0, 1], [0.1, 0.2]), weights=weights, weighted=True)
    assert found.weights is not None and found.weights.tolist() == [2.0, 3.0]
    (found,) = gathered(([0, 1], [0.1, 0.2]), weights=weights)
    assert found.weights is None


def test_taking_starts_over() -> None:
    scores = ScoredOutputs(weighted=False)
    for _ in range(2):
        scores.watch(ONE, Element(None, tf.constant([1])), tf.constant([0.5]))
        (found,) = scores.take(model="m", dataset="")
        assert found.labels.tolist() == [1]
    assert scores.take(model="m", dataset="") == []
