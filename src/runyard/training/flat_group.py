"""The variables of one optimizer, the small ones of them changed as one vector.

An optimizer of Keras takes a dozen operations for each variable, and for small variables an operation costs more than
its arithmetic. Within a call of many steps the slots of small variables are one vector each, and the optimizer itself
works on these vectors; at the end of a call its own slots hold everything again.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import (
    KerasVersion,
    apply_gradients,
    can_be_flat,
    one_variable_more,
    slot_lists,
    tensorflow_variable,
)
from runyard.training.flat_layout import FlatLayout
from runyard.training.flat_rules import flat_places, is_only_read


class FlatGroup:
    """Applies gradients between `begin_call` and `end_call`; all of its methods work inside a `tf.function`.

    Args:
        optimizer: already built for the variables.
        allowed: False where others read or change the variables during a call, so that all must stay in place.
    """

    def __init__(self, optimizer: Any, variables: Sequence[Any], *, keras: KerasVersion, allowed: bool = True) -> None:
        self._optimizer = optimizer
        self._keras: KerasVersion = keras
        self._listed = list(variables)
        self._variables = [tensorflow_variable(variable) for variable in variables]
        self._slots = slot_lists(optimizer, variables)
        self._possible = allowed and can_be_flat(optimizer, keras=keras) and not tf.distribute.has_strategy()
        self._changed_by_others: set[int] = set()
        self._made: dict[tuple[int, ...], _Vectors] = {}
        self._vectors: _Vectors | None = None

    @property
    def together(self) -> tuple[int, ...]:
        """The places of the variables that the step traced last changes as one vector."""
        return () if self._vectors is None else self._vectors.places

    def look_at_graph(self) -> None:
        """Must be called after the model, in the same graph: a variable that a layer changes by itself stays apart."""
        self._vectors = None
        if self._possible:
            pairs = enumerate(self._variables)
            self._changed_by_others = {place for place, variable in pairs if not is_only_read(variable)}

    def begin_call(self) -> None:
        """Gathers variables and slots. The step must have been traced: only then is it known what goes together."""
        if self._vectors is not None:
            self._vectors.gather()

    def end_call(self) -> None:
        """Gives the optimizer's own slots what the vectors hold."""
        if self._vectors is not None:
            self._vectors.scatter()

    def apply(self, gradients: Sequence[Any]) -> None:
        self._vectors = self._vectors_for(gradients)
        if self._vectors is None:
            apply_gradients(self._optimizer, gradients, self._listed, keras=self._keras)
            return
        vectors, places = self._vectors, self.together
        others = [place for place in range(len(gradients)) if place not in places]
        joined = vectors.layout.join([gradients[place] for place in places])
        with one_variable_more(self._optimizer, vectors.weights, slots=vectors.slots, keras=self._keras):
            apply_gradients(
                self._optimizer,
                [joined, *(gradients[place] for place in others)],
                [vectors.weights, *(self._listed[place] for place in others)],
                keras=self._keras,
            )
        vectors.write_weights()

    def _vectors_for(self, gradients: Sequence[Any]) -> "_Vectors | None":
        if not self._possible:
            return None
        allowed = [None if place in self._changed_by_others else each for place, each in enumerate(gradients)]
        places = flat_places(allowed, self._listed)
        if places and places not in self._made:
            with tf.init_scope():
                self._made[places] = _Vectors(places, self._variables, slots=self._slots)
        return self._made.get(places)


class _Vectors:
    """Weights and slots of some of the variables, each kind as one vector."""

    def __init__(self, places: tuple[int, ...], variables: Sequence[Any], *, slots: dict[str, list[Any]]) -> None:
        self.places = places
        self._variables = [variables[place] for place in places]
        self._scattered = {name: [slots[name][place] for place in places] for name in slots}
        self.layout = FlatLayout([variable.shape for variable in self._variables])
        self.weights = self._new_vector("weights")
        self.slots = {name: self._new_vector(name) for name in slots}

    def gather(self) -> None:
        self.weights.assign(self.layout.join(self._variables))
        for name, slot in self.slots.items():
            slot.assign(self.layout.join(self._scattered[name]))

    def write_weights(self) -> None:
        """The model reads its own variables, so they follow with every step."""
        _assign(self._variables, self.layout.split(self.weights.read_value()))

    def scatter(self) -> None:
        for name, slot in self.slots.items():
            _assign(self._scattered[name], self.layout.split(slot.read_value()))

    def _new_vector(self, name: str) -> Any:
        zeros = tf.zeros([self.layout.size], self._variables[0].dtype)
        # Lifted, it would be one of the function that is being traced, which TensorFlow then traces twice.
        return tf.Variable(zeros, trainable=False, name=f"flat_{name}", experimental_enable_variable_lifting=False)


def _assign(variables: Sequence[Any], values: Sequence[Any]) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
