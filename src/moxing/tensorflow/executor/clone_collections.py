"""`mox.get_collection`: what the clone that is being built has put into a collection."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.variable_sharing import UsedVariables


@dataclass(frozen=True)
class CloneCollections:
    """What one clone adds to the graph's collections.

    Attributes:
        before: how many items each collection had when the clone began.
        used: its variables; those that another clone has made are its own, too.
        after: how many items each collection had when the clone was built; empty until then.
    """

    graph: Any
    before: dict[Any, int]
    used: UsedVariables
    after: dict[Any, int] = field(default_factory=dict)

    def get(self, key: Any) -> list[Any]:
        """The clone's items of a collection."""
        items = self.graph.get_collection(key)
        first = self.before.get(key, 0)
        end = self.after.get(key, 0) if self.after else len(items)
        return [item for number, item in enumerate(items) if first <= number < end or self._shares(key, item)]

    def _shares(self, key: Any, item: Any) -> bool:
        """Whether an earlier clone's item is this clone's: a variable, or what keeps a variable small."""
        if key == tf.GraphKeys.REGULARIZATION_LOSSES:
            return any(name in self.used.handles for name in _handles_before(item))
        return item in self.used


_current: ContextVar[CloneCollections | None] = ContextVar("clone", default=None)


@contextmanager
def collections_of(graph: Any, used: UsedVariables) -> Iterator[CloneCollections]:
    """Within it, `get_collection` speaks of this clone."""
    clone = CloneCollections(graph, _sizes(graph), used)
    token = _current.set(clone)
    try:
        yield clone
    finally:
        _current.reset(token)
        clone.after.update(_sizes(graph))


def get_collection(key: Any) -> list[Any]:
    """The items of a collection that belong to the `model_fn` call that is running; anywhere else, all of them.

    With several devices, `tf.get_collection` in a `model_fn` would give those of other devices too, and leave out
    the regularisation losses of variables that another device has made.
    """
    clone = _current.get()
    return tf.get_collection(key) if clone is None else clone.get(key)


def _sizes(graph: Any) -> dict[Any, int]:
    return {key: len(graph.get_collection_ref(key)) for key in graph.get_all_collection_keys()}


def _handles_before(tensor: Any) -> Iterator[str]:
    waiting, seen = [tensor.op], set[str]()
    while waiting:
        operation = waiting.pop()
        if operation.name in seen:
            continue
        seen.add(operation.name)
        if operation.type == "VarHandleOp":
            yield operation.name
        waiting += [one.op for one in operation.inputs]
