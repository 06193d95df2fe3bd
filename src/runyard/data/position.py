"""Where in the data a run is, and how it gets back there."""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

from runyard.data.epoch_orders import order_of_epoch
from runyard.data.python_randomness import PythonRandomness
from runyard.data.tree import Resume, how_to_resume, traits_of
from runyard.errors import CheckpointError

_FAIL_IF_STATEFUL = 2
_ITERATOR = "iterator"


class DataPosition:
    """The iterator of the current epoch and how far it has been read.

    A finite dataset is read from its start in each epoch; an endless one goes on where the last epoch ended.

    Python that runs in a dataset finds the generators of `random` and `numpy.random` at the start of an epoch as it
    left them at the end of the last, whatever drew from them in between (a validation, an observer).

    Args:
        dataset: just made, so that the generators are as it found or left them.
        say: told when the data must be read again to get back to a position.
        what: messages call the dataset so.
        start_over: how the user starts over, for a message.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        say: Callable[[str], None],
        what: str = "training set",
        start_over: str = "with --fresh",
    ) -> None:
        self._dataset = dataset
        self._say = say
        self._misfit = CheckpointError(
            f"the position of the checkpoint does not fit the {what}, which is made in another way now",
            hint=f"undo the change of the data or of train_args.input, or start over {start_over}",
        )
        self._traits = traits_of(dataset)
        self._randomness = PythonRandomness.now() if self._traits.python else None
        self.epoch = 0
        self.batches = 0
        self._iterator = self._new_iterator()
        self._begun = False
        self._past: list[Any] = []
        self._sizes: list[int] = []
        self._resume = how_to_resume(self._traits, saveable=self._serialized() is not None)

    @property
    def parts(self) -> "tuple[DataPosition, ...]":
        """Itself alone, where `DataPositions` has several."""
        return (self,)

    @property
    def endless(self) -> bool:
        return self._traits.endless

    @property
    def runs_python(self) -> bool:
        """Whether the user's Python runs while it is read."""
        return self._traits.python

    @property
    def iterator(self) -> Any:
        """What batches are read from. Whoever reads calls `advance` afterwards."""
        if not self._begun:
            self._begun = True
            if self._randomness is not None:
                self._randomness.bring_back()
        return self._iterator

    def advance(self, batches: int) -> None:
        """Counts batches that have been read from the iterator."""
        self.batches += batches
        if self._randomness is not None:
            self._randomness = PythonRandomness.now()

    def at_end(self) -> bool:
        """Whether the epoch has no batch left. Looking may read one, so nothing may be read or saved after it."""
        return not self.endless and not bool(self.iterator.get_next_as_optional().has_value())

    def end_epoch(self) -> None:
        """The next epoch begins."""
        self._sizes.append(self.batches)
        self.epoch += 1
        self.batches = 0
        if not self.endless:
            self._begin_anew()

    def tensors(self) -> Mapping[str, Any]:
        state = None if self._resume is Resume.REPLAY else self._serialized()
        return {} if state is None else {_ITERATOR: state}

    def values(self) -> Mapping[str, Any]:
        return {"epoch": self.epoch, "batches": self.batches, "sizes": list(self._sizes)}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        epoch, batches, sizes = int(values["epoch"]), int(values["batches"]), [int(size) for size in values["sizes"]]
        if self._resume is Resume.REPLAY or _ITERATOR not in tensors:
            self._replay(sizes, batches)
        else:
            self._pass_over(epoch)
            if batches or self.endless:
                self._bring_back(tensors[_ITERATOR])
        self.epoch, self.batches, self._sizes = epoch, batches, sizes

    def _replay(self, sizes: list[int], batches: int) -> None:
        count = sum(sizes) + batches
        if count:
            reason = self._traits.obstacle or "its state cannot be saved"
            self._say(f"this dataset has no position that can be saved ({reason}): reading {count} batches again")
        if self.endless:
            self._read(count)
            return
        for size in sizes:
            # One more than it holds, so that whatever happens at its end happens.
            self._read(size + 1)
            self.epoch += 1
            self._begin_anew()
        self._read(batches)

    def _pass_over(self, epochs: int) -> None:
        """Makes the iterator of the epoch after these. A single shuffle draws seeds for each of them on the way."""
        if self._resume is Resume.MAKE:
            for _ in range(epochs):
                self._begin_anew()
        elif self._resume is Resume.ORDER and epochs:
            self.epoch = epochs
            self._begin_anew()

    def _bring_back(self, state: Any) -> None:
        """Restores the iterator, and the seeds that a single shuffle has drawn up to this epoch.

        A state from near the end no longer holds the shuffle; then restoring it draws if the shuffle is made with the
        iterator. The state of this epoch's start, restored into an iterator that nobody reads, takes that back.
        """
        start = self._serialized()
        self._deserialize(self._iterator, state)
        if self._resume is Resume.MAKE:
            self._deserialize(self._new_iterator(), start)

    def _deserialize(self, iterator: Any, state: Any) -> None:
        try:
            gen_dataset_ops.deserialize_iterator(iterator._iterator_resource, state)
        except tf.errors.OpError as error:
            raise self._misfit from error

    def _read(self, count: int) -> None:
        """Reads batches and throws them away."""
        if count:
            _skip(self.iterator, tf.constant(count, tf.int64))
            self.advance(0)

    def _begin_anew(self) -> None:
        if self._traits.python:
            # One that is freed while the user's Python runs in it waits for ever: see `cli.app`.
            self._past.append(self._iterator)
        self._iterator = self._new_iterator()
        self._begun = False

    def _new_iterator(self) -> Any:
        return iter(self._of_this_epoch(self._dataset))

    def _of_this_epoch(self, dataset: Any) -> Any:
        return order_of_epoch(dataset, self.epoch) if self._traits.has_orders else dataset

    def _serialized(self) -> Any:
        """The state of the iterator, or None where TensorFlow cannot save it."""
        try:
            return gen_dataset_ops.serialize_iterator(
                self._iterator._iterator_resource, external_state_policy=_FAIL_IF_STATEFUL
            )
        except (tf.errors.FailedPreconditionError, tf.errors.UnimplementedError):
            return None


@tf.function(autograph=False, reduce_retracing=True)
def _skip(iterator: Any, count: Any) -> Any:
    def body(done: Any, _: Any) -> Any:
        return done + 1, iterator.get_next_as_optional().has_value()

    return tf.while_loop(lambda done, more: tf.logical_and(done < count, more), body, [tf.constant(0, tf.int64), True])
