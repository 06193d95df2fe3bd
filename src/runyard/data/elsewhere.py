"""A dataset that is made here and read in another process.

What is sent is the dataset's graph. Whatever it reads, it reads there: files must be found under the same paths.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

from runyard.data.position import DataPosition
from runyard.data.tree import traits_of
from runyard.errors import DataError

_KEEP_NO_STATE = 1
_CANNOT_BE_SENT = (
    tf.errors.FailedPreconditionError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.ResourceExhaustedError,
    tf.errors.UnimplementedError,
)
_WITHOUT_SERVERS = "or train without parameter servers"


def dataset_on(device: str, dataset: Any, *, what: str = "training set") -> Any:
    """The same dataset on another device.

    Raises:
        DataError: if it runs Python, or holds more than can be sent. Tables and variables go with it as they are now.
    """
    if traits_of(dataset).python:
        raise DataError(
            f"the {what} runs Python while it is read (from_generator, py_function, numpy_function), "
            "which the workers of parameter servers cannot",
            hint=f"write it with TensorFlow's own operations, for example over files, {_WITHOUT_SERVERS}",
        )
    try:
        graph = gen_dataset_ops.dataset_to_graph_v2(
            dataset._variant_tensor, external_state_policy=_KEEP_NO_STATE, strip_device_assignment=True
        )
        with tf.device(device):
            variant = tf.raw_ops.DatasetFromGraph(graph_def=graph)
    except _CANNOT_BE_SENT as error:
        raise DataError(
            f"the {what} cannot be sent to a worker: {error.message}",
            hint=f"data in memory must be smaller than 2 GB: read larger data from files, {_WITHOUT_SERVERS}",
        ) from error
    return tf.data.experimental.from_variant(variant, dataset.element_spec)


@dataclass(frozen=True)
class IteratorElsewhere:
    """One pass over a part of a dataset."""

    iterator: Any

    def advance(self, batches: int) -> None:
        """Does nothing: no checkpoint needs this position."""


@dataclass(frozen=True)
class IteratorsElsewhere:
    """One pass over a dataset, by several processes."""

    each: Sequence[IteratorElsewhere]
    element_spec: Any


class DividedDataset:
    """A dataset in parts, each of which another process reads.

    Args:
        whole: what they are parts of.
        parts: by device.
    """

    def __init__(self, whole: Any, *, parts: Mapping[str, Any], what: str) -> None:
        self.element_spec = whole.element_spec
        self._there = [dataset_on(device, part, what=what) for device, part in parts.items()]

    def begin(self) -> IteratorsElsewhere:
        """Starts a pass."""
        return IteratorsElsewhere([IteratorElsewhere(iter(part)) for part in self._there], self.element_spec)


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
