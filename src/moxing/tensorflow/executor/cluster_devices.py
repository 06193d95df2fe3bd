"""Which parameter server keeps which variable."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.place import Device


class VariableServers:
    """Variables go to one server after the other, in the order in which they are made: every worker makes the same."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._made = 0

    def beside(self, device: str) -> Device:
        """A device function: variables to the servers, the rest to a device."""
        return tf.train.replica_device_setter(
            ps_tasks=self._number, ps_device="/job:ps", worker_device=device, ps_strategy=self._next
        )

    def _next(self, operation: Any) -> int:
        del operation
        self._made += 1
        return (self._made - 1) % self._number
