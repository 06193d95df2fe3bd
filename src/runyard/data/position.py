"""Where in the data a run is, and how it gets back there."""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

from runyard.data.tree import Resume, how_to_resume, traits_of

_FAIL_IF_STATEFUL = 2
_ITERATOR = "iterator"


class DataPosition:
    """The iterator of the current epoch and how far it has been read.

    A finite dataset is read from its start in each epoch; an endless one goes on where the last epoch ended.

    Args:
        say: told when the data must be read again to get back to a position.
    """

    def __init__(self, dataset: Any, *, say: Callable[[str], None]) -> None:
        self._dataset = dataset
        self._say = say
        self._traits = traits_of(dataset)
        self.iterator = self._new_iterator()
        self.epoch = 0
        self.batches = 0
        self._sizes: list[int] = []
        self._resume = how_to_resume(self._traits, saveable=self._serialized() is not None)

    @property
    def endless(self) -> bool:
        return self._traits.endless

    @property
    def resume(self) -> Resume:
        return self._resume

    def advance(self, batches: int) -> None:
        """Takes in that so many batches have been read."""
        self.batches += batches

    def end_epoch(self) -> None:
        """The next epoch begins."""
        self._sizes.append(self.batches)
        self.epoch += 1
        self.batches = 0
        if not self.endless:
            self.iterator = self._new_iterator()

    def tensors(self) -> Mapping[str, Any]:
        return {} if self._resume is Resume.REPLAY else {_ITERATOR: self._serialized()}

    def values(self) -> Mapping[str, Any]:
        return {"epoch": self.epoch, "batches": self.batches, "sizes": list(self._sizes)}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.epoch = int(values["epoch"])
        self.batches = int(values["batches"])
        self._sizes = [int(size) for size in values["sizes"]]
        if self._resume is Resume.REPLAY:
            self._replay()
            return
        if self._resume is Resume.TOUCH:
            self._touch()
        gen_dataset_ops.deserialize_iterator(self.iterator._iterator_resource, tensors[_ITERATOR])

    def _replay(self) -> None:
        self._say(
            f"the position in this dataset cannot be saved: reading {sum(self._sizes) + self.batches} batches again"
        )
        if self.endless:
            _read(self.iterator, sum(self._sizes) + self.batches)
            return
        for size in self._sizes:
            # One more than it holds, so that whatever happens at its end happens.
            _read(self.iterator, size + 1)
            self.iterator = self._new_iterator()
        _read(self.iterator, self.batches)

    def _touch(self) -> None:
        past = 0 if self.endless else self.epoch
        for _ in range(past):
            _read(self.iterator, 1)
            self.iterator = self._new_iterator()
        _read(self.iterator, 1)

    def _new_iterator(self) -> Any:
        return iter(self._dataset)

    def _serialized(self) -> Any:
        """The state of the iterator, or None where TensorFlow cannot save it."""
        try:
            return gen_dataset_ops.serialize_iterator(
                self.iterator._iterator_resource, external_state_policy=_FAIL_IF_STATEFUL
            )
        except (tf.errors.FailedPreconditionError, tf.errors.UnimplementedError):
            return None


@tf.function(autograph=False, reduce_retracing=True)
def _skip(iterator: Any, count: Any) -> Any:
    def body(done: Any, _: Any) -> Any:
        return done + 1, iterator.get_next_as_optional().has_value()

    return tf.while_loop(lambda done, more: tf.logical_and(done < count, more), body, [tf.constant(0, tf.int64), True])


def _read(iterator: Any, count: int) -> None:
    """Reads batches and throws them away."""
    if count:
        _skip(iterator, tf.constant(count, tf.int64))
