"""A dataset that is made here and read in another process.

What is sent is the dataset's graph. Whatever it reads, it reads there: files must be found under the same paths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

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
