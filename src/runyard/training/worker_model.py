"""A model that several workers train: what must be equal in it, and what each has of its own."""

from typing import Any

import numpy as np

from runyard.bridge import KerasVersion, draw_differently
from runyard.checkpoint.state import VariableState, restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.training.model_state import model_state
from runyard.training.workers import Workers, is_chief

_RANDOM = "random/"


def own_model_state(model: Any, *, keras: KerasVersion) -> VariableState:
    """Random states, and what layers keep about the batches that they have seen."""
    state = model_state(model, keras=keras).variables
    return VariableState({name: each for name, each in state.items() if name.startswith(_RANDOM) or not each.trainable})


def begin_alike(model: Any, *, keras: KerasVersion, workers: Workers) -> None:
    """Before the first step: all have the chief's weights, and draw different random numbers (masks of Dropout)."""
    if workers.size == 1:
        return
    state = model_state(model, keras=keras).variables
    weights = {"model": VariableState({name: each for name, each in state.items() if not name.startswith(_RANDOM)})}
    restore_snapshot(from_bytes(workers.broadcast(as_bytes(take_snapshot(weights)))), weights)
    draw_differently([each for name, each in state.items() if name.startswith(_RANDOM)], index=workers.index)


def settle_statistics(model: Any, *, keras: KerasVersion, workers: Workers) -> None:
    """What layers such as BatchNormalization have seen becomes the mean over all workers; counters are the chief's."""
    if workers.size == 1:
        return
    state = own_model_state(model, keras=keras).variables
    variables = [each for name, each in state.items() if not name.startswith(_RANDOM)]
    if not variables:
        return
    shares = [_share(each, workers=workers) for each in variables]
    # In double precision, so that the mean of equal numbers is that number.
    totals = workers.totals(np.concatenate([share.reshape(-1) for share in shares]))
    for variable, share in zip(variables, shares, strict=True):
        mine, totals = totals[: share.size], totals[share.size :]
        mean = mine / workers.size if variable.dtype.is_floating else mine
        variable.assign(mean.reshape(share.shape).astype(variable.dtype.as_numpy_dtype))


def _share(variable: Any, *, workers: Workers) -> Any:
    value = np.asarray(variable.numpy(), np.float64)
    return value if variable.dtype.is_floating or is_chief(workers) else np.zeros_like(value)
