"""Which device computes which part of a batch."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from runyard.data.batch_rows import divided, rows_of


def devices_of_replicas(replicas: int) -> tuple[str, ...]:
    """A device for each replica: a GPU where there are any, else a processor; in turn if there are fewer of them."""
    found = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    return tuple(found[index % len(found)].name for index in range(replicas))


class Spread:
    """Divides batches among devices; inside a `tf.function`.

    All devices work on the same variables, which stay where they are: each gets a copy of the values in every step, and
    what it finds is added up on the first. So there is nothing that could differ between devices.

    Args:
        devices: one for each replica.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = tuple(devices)

    def __call__(
        self, function: Callable[[int, Any], Any], batch: Any, *, joined: Callable[[Sequence[Any]], Any]
    ) -> Any:
        """What all devices find.

        Args:
            function: given the number of a replica and its part of the batch; what is made in it is on its device.
            batch: tensors, in any structure, with as many rows each. Fewer rows than replicas are left to the first.
            joined: makes one of what the replicas have found.
        """
        count = len(self.devices)

        def together() -> Any:
            parts = divided(batch, parts=count)
            return joined([self._on(index, function, part) for index, part in enumerate(parts)])

        def by_the_first() -> Any:
            return joined([self._on(0, function, batch)])

        if count == 1:
            return by_the_first()
        rows = rows_of(batch)
        known = tf.get_static_value(rows)
        if known is not None:
            return together() if known >= count else by_the_first()
        return tf.cond(rows >= count, together, by_the_first)

    def _on(self, index: int, function: Callable[[int, Any], Any], part: Any) -> Any:
        with tf.device(self.devices[index]):
            return function(index, part)
