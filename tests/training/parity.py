"""The same training twice: by Runyard and by Keras `fit`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from training.trainings import EPOCHS, apart, training_of, weights_of

TOLERANCE = 1e-5


def assert_trains_as_fit(
    make: Callable[[], Any],
    dataset: Any,
    *,
    compiled: dict[str, Any],
    fitted: dict[str, Any] | None = None,
    validation: Any = None,
    **written: Any,
) -> dict[str, float]:
    """Weights, losses and metrics agree after three epochs; returns the losses and metrics.

    Args:
        make: makes the model; called twice, the second one gets the weights of the first.
        compiled, fitted: arguments of `compile` and `fit`.
        written: what the job file says.
    """
    ours, theirs = make(), make()
    training = training_of(ours, dataset, validation=validation, **written)
    _build(theirs, dataset)
    theirs.set_weights(ours.get_weights())
    start = weights_of(ours)

    results = training().results
    theirs.compile(**compiled)
    history = theirs.fit(dataset, epochs=EPOCHS, validation_data=validation, verbose=0, **(fitted or {})).history

    assert apart(weights_of(ours), start) > 1e-4, "nothing was trained"
    assert apart(weights_of(ours), weights_of(theirs)) <= TOLERANCE
    assert results == {name: pytest.approx(history[name][-1], abs=TOLERANCE, rel=TOLERANCE) for name in results}
    return dict(results)


def _build(model: Any, dataset: Any) -> None:
    """A subclassed model has weights after its first call only."""
    batch = next(iter(dataset))
    model(batch[0] if isinstance(batch, tuple) else batch)
    assert all(np.all(np.isfinite(weight)) for weight in model.get_weights())
