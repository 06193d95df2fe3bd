"""Where other processes are in the data that they read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from runyard.data.elsewhere import dataset_on
from runyard.data.position import DataPosition


class PositionElsewhere(DataPosition):
    """Where in its data another process is."""

    def __init__(self, dataset: Any, *, device: str, say: Callable[[str], None]) -> None:
        self._device = device
        self._there: Any = None
        super().__init__(dataset, say=say)

    def _new_iterator(self) -> Any:
        if self._there is None or self._traits.has_orders:
            self._there = dataset_on(self._device, self._of_this_epoch(self._dataset))
        return iter(self._there)

    def _read(self, count: int) -> None:
        with tf.device(self._device):
            super()._read(count)


class PositionsElsewhere:
    """Where several processes are, each in its own part of the data: to a training, one position."""

    runs_python = False

    def __init__(self, positions: Sequence[PositionElsewhere]) -> None:
        self.each = positions

    @property
    def iterator(self) -> "PositionsElsewhere":
        """What a call of many steps reads from; it moves the positions itself."""
        return self

    @property
    def parts(self) -> "tuple[PositionsElsewhere]":
        """Itself alone: it holds the positions of all."""
        return (self,)

    @property
    def element_spec(self) -> Any:
        return self.each[0].iterator.element_spec

    @property
    def endless(self) -> bool:
        return self.each[0].endless

    @property
    def epoch(self) -> int:
        return self.each[0].epoch

    @property
    def batches(self) -> int:
        """Read by all workers in this epoch."""
        return sum(position.batches for position in self.each)

    def advance(self, batches: int) -> None:
        """Does nothing: the call of many steps has moved the positions itself."""

    def at_end(self) -> bool:
        return not any(not position.at_end() for position in self.each)

    def end_epoch(self) -> None:
        for position in self.each:
            position.end_epoch()

    def tensors(self) -> Mapping[str, Any]:
        return {
            f"{place}/{name}": tensor
            for place, position in enumerate(self.each)
            for name, tensor in position.tensors().items()
        }

    def values(self) -> Mapping[str, Any]:
        return {"each": [dict(position.values()) for position in self.each]}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        for place, (position, mine) in enumerate(zip(self.each, values["each"], strict=True)):
            prefix = f"{place}/"
            found = {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}
            position.restore(found, mine)
