"""Batches divided among the devices of a process."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from runyard.data.batch_rows import divided, known_rows, rows_of


class Spread:
    """Divides batches among devices; inside a `tf.function`.

    All devices work on the same variables, which stay where they are: each gets their values in every step, and what it
    finds is added up on the first. So there is nothing that could differ between devices.

    Args:
        replicas: parts of a batch. Each has a device: a GPU where there are any, else a processor; in turn if there are
            fewer of them. A single one is left where TensorFlow puts it.
    """

    def __init__(self, replicas: int) -> None:
        self._replicas = replicas
        self.devices = _devices(replicas) if replicas > 1 else ()

    def __call__(
        self, function: Callable[[int, Any], Any], batch: Any, *, joined: Callable[[Sequence[Any]], Any]
    ) -> Any:
        """Calls a function on every device with a part of the batch; what they have found together.

        Args:
            function: given the number of a replica and its part of the batch; what is made in it is on its device.
            batch: tensors, in any structure, with as many rows each. Fewer rows than replicas are left to the first.
            joined: makes one result of those of the replicas.
        """

        def together() -> Any:
            parts = divided(batch, parts=self._replicas)
            return joined([self._on(index, function, part) for index, part in enumerate(parts)])

        def by_the_first() -> Any:
            return joined([self._on(0, function, batch)])

        if self._replicas == 1:
            return joined([function(0, batch)])
        known = known_rows(batch)
        if known is not None:
            return together() if known >= self._replicas else by_the_first()
        return tf.cond(rows_of(batch) >= self._replicas, together, by_the_first)

    def _on(self, index: int, function: Callable[[int, Any], Any], part: Any) -> Any:
        with tf.device(self.devices[index]):
            return function(index, part)


def _devices(replicas: int) -> tuple[str, ...]:
    found = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    return tuple(found[index % len(found)].name for index in range(replicas))
