"""The same training twice: by Runyard and by Keras `fit`."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from runyard.bridge import KerasVersion, keras_version_of
from tests.training.trainings import EPOCHS, apart, training_of, weights_of

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
    difference = apart(weights_of(ours), weights_of(theirs))
    assert difference <= TOLERANCE, f"weights differ by {difference}"
    for name in _comparable(results, keras=keras_version_of(ours)):
        assert results[name] == pytest.approx(history[name][-1], abs=TOLERANCE, rel=TOLERANCE), name
    return dict(results)


def _comparable(names: Iterable[str], *, keras: KerasVersion | None) -> list[str]:
    """Keras 3 averages the losses of single outputs over batches, not rows, and names them in its own way."""
    return [name for name in names if keras == 2 or not name.endswith("_loss") or name == "val_loss"]


def _build(model: Any, dataset: Any) -> None:
    """A subclassed model has weights after its first call only."""
    batch = next(iter(dataset))
    model(batch[0] if isinstance(batch, tuple) else batch)
    assert all(np.all(np.isfinite(weight)) for weight in model.get_weights())
