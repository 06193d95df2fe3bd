"""The state of a model that differs between the processes, shards and replicas of one training.

Weights are the same everywhere. Random states are not, nor is what layers such as BatchNormalization have seen: each
shard of the data has its own, and within a shard each replica of the model.
"""

from typing import Any

import numpy as np

from runyard.bridge import KerasVersion, draw_differently
from runyard.checkpoint.state import Stateful, VariableState, restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.training.copies import Copies, changed_in_training
from runyard.training.division import Division
from runyard.training.model_state import model_state
from runyard.training.workers import Workers, is_chief

_RANDOM = "random/"


class OwnState:
    """The states of one process. Those of its first shard and replica are in the model itself.

    Args:
        inputs: of the model, as `tf.TensorSpec`s.
    """

    def __init__(self, model: Any, *, keras: KerasVersion, inputs: Any, division: Division, workers: Workers) -> None:
        self._workers = workers
        self._division = division
        self._shards = division.owned_by(workers)
        self._state = model_state(model, keras=keras).variables
        self._own = {name: each for name, each in self._state.items() if _is_random(name) or not each.trainable}
        alone = len(self._shards) == division.replicas == 1
        changed = {} if alone else changed_in_training(model, inputs=inputs, variables=self._own)
        self.of_replicas = Copies(changed, count=division.replicas)
        numbered = {
            _key(replica, name): variable
            for replica, copy in enumerate(self.of_replicas.each)
            for name, variable in copy.items()
        }
        self.of_shards = Copies(numbered, count=len(self._shards))

    @property
    def weights(self) -> dict[str, Any]:
        """The variables of the model by name, without random states."""
        return {name: each for name, each in self._state.items() if not _is_random(name)}

    def parts(self, place: int) -> dict[str, Stateful]:
        """What a checkpoint holds for one of the shards of this process, counted from 0."""
        parts: dict[str, Stateful] = {"model": VariableState(self._variables_of(place, replica=0))}
        if self._division.replicas > 1:
            first = _key(0, "")
            copies = self.of_shards.each[place]
            parts["replicas"] = VariableState({key: each for key, each in copies.items() if not key.startswith(first)})
        return parts

    def begin(self) -> None:
        """Before the first step: all have the chief's weights, and draw different random numbers (masks of Dropout)."""
        if self._division.parts == 1:
            return
        weights = {"model": VariableState(self.weights)}
        restore_snapshot(from_bytes(self._workers.broadcast(as_bytes(take_snapshot(weights)))), weights)
        self.of_replicas.begin_alike()
        self.of_shards.begin_alike()
        replicas = self._division.replicas
        for place, shard in enumerate(self._shards):
            for replica in range(replicas):
                variables = self._variables_of(place, replica=replica)
                states = [each for name, each in variables.items() if _is_random(name)]
                draw_differently(states, index=shard.index * replicas + replica)

    def settle(self) -> None:
        """What layers such as BatchNormalization have seen becomes the mean over all; counters are the chief's."""
        statistics = {name: self._all_of(name) for name in self._own if not _is_random(name)}
        if self._division.parts == 1 or not statistics:
            return
        shares = [self._sum_here(variables) for variables in statistics.values()]
        # In double precision, so that the mean of equal numbers is that number.
        totals = self._workers.totals(np.concatenate([share.reshape(-1) for share in shares]))
        for variables, share in zip(statistics.values(), shares, strict=True):
            mine, totals = totals[: share.size], totals[share.size :]
            kind = variables[0].dtype
            mean = mine / self._division.parts if kind.is_floating else mine
            for variable in variables:
                variable.assign(mean.reshape(share.shape).astype(kind.as_numpy_dtype))

    def _variables_of(self, place: int, *, replica: int) -> dict[str, Any]:
        """The variables of one shard and replica, by their names in the model."""
        if place == replica == 0:
            return self._own
        prefix = _key(replica, "")
        found = self.of_shards.each[place].items()
        return {key.removeprefix(prefix): each for key, each in found if key.startswith(prefix)}

    def _all_of(self, name: str) -> list[Any]:
        """A variable of the model, with its copies if the forward pass changes it."""
        copies = [copy[key] for copy in self.of_shards.each for key in self._keys_of(name) if key in copy]
        return copies or [self._own[name]]

    def _keys_of(self, name: str) -> list[str]:
        return [_key(replica, name) for replica in range(self._division.replicas)]

    def _sum_here(self, variables: list[Any]) -> Any:
        """The sum over the parts of this process, of which each has a copy or all have the same."""
        values = [np.asarray(variable.numpy(), np.float64) for variable in variables]
        if not variables[0].dtype.is_floating:
            return values[0] if is_chief(self._workers) else np.zeros_like(values[0])
        return np.sum(values, axis=0) * (len(self._shards) * self._division.replicas // len(values))


def _is_random(name: str) -> bool:
    return name.startswith(_RANDOM)


def _key(replica: int, name: str) -> str:
    return f"{replica:05d}/{name}"
