"""What a dataset is made of, as far as it matters for saving its position.

TensorFlow saves an iterator, not the dataset: where shuffles take their next seeds from, what a cache holds and what
happens inside Python lie outside. Worse, a step that has read its input to the end forgets it, and with it the seeds of
the shuffles below; with a prefetch that is some batches before we see the end. So a position is saved only for what
was tried, kind by kind (tests/data/test_position.py); everything else is read again, which is always right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from runyard.data.epoch_orders import has_orders
from runyard.data.steps import opened

_READ_ONCE = frozenset(
    [
        "Batch",
        "DenseToRagged",
        "Filter",
        "FlatMap",
        "IgnoreErrors",
        "Interleave",
        "Map",
        "Options",
        "PaddedBatch",
        "Prefetch",
        "Rebatch",
        "Restructured",
        "Shard",
        "Shuffle",
        "Skip",
        "Take",
        "TakeWhile",
        "Unbatch",
        "Unique",
        "Zip",
    ]
)
"""Steps that make and read the iterator of each input once."""

_MAY_END = frozenset(["Take", "TakeWhile"])
"""Steps that end before their input does."""

_HOLDS_NOTHING = frozenset(["Filter", "Map", "Options", "Prefetch"])
"""Steps that have nothing left to give when their input ends."""

_SAVED_WHOLE = _READ_ONCE | frozenset(
    ["Concatenate", "DirectedInterleave", "GroupByWindow", "Repeat", "Scan", "Window"]
)
"""Steps whose state is in that of their iterator, as long as there is no shuffle below."""

_HARMLESS = frozenset(["Assert", "CheckNumerics", "CheckNumericsV2", "Print", "PrintV2"])
_PYTHON = frozenset(["EagerPyFunc", "PyFunc", "PyFuncStateless"])


class Resume(Enum):
    """How the position in a dataset is brought back. Found by trying every kind on TensorFlow 2.21."""

    RESTORE = "the iterator's state is all there is"
    MAKE = "one shuffle: each past epoch's iterator must be made, for its seeds to be drawn"
    ORDER = "several shuffles: each epoch is a dataset of its own, with the seeds of its order"
    REPLAY = "the state cannot be saved or does not hold all: everything is read again"


@dataclass(frozen=True)
class Traits:
    """What was seen in a dataset's tree.

    Args:
        python: whether the user's Python runs while it is read.
        obstacle: why its position cannot be saved, in a few words; None if it can.
    """

    shuffles: int
    endless: bool
    python: bool = False
    obstacle: str | None = None

    @property
    def has_orders(self) -> bool:
        """Whether each epoch is to be read from a dataset of its own: see `epoch_orders`."""
        return self.shuffles > 1 and not self.endless and self.obstacle is None


@dataclass(frozen=True)
class _Node:
    dataset: Any
    above: tuple[str, ...]
    """The kinds of the steps above it, the nearest first."""

    @property
    def kind(self) -> str:
        return type(self.dataset).__name__.strip("_").removeprefix("Parallel").removesuffix("Dataset")

    @property
    def is_shuffle(self) -> bool:
        return self.kind.startswith("Shuffle")


def traits_of(dataset: Any) -> Traits:
    """Looks at every step of a dataset, and at the functions in them. Nothing is read."""
    nodes = list(_nodes(dataset, above=()))
    operations = {name for node in nodes for name in _stateful_operations(node.dataset)}
    endless = is_endless(dataset)
    shuffles = sum(node.is_shuffle for node in nodes)
    out_of_order = "several shuffles in it" if shuffles > 1 and not endless and not has_orders(dataset) else None
    return Traits(
        shuffles=shuffles,
        endless=endless,
        python=bool(operations & _PYTHON),
        obstacle=_obstacle(nodes, operations=operations, endless=endless) or out_of_order,
    )


def is_endless(dataset: Any) -> bool:
    """Whether it never ends, also where TensorFlow no longer knows: a filter of what is repeated for ever."""
    cardinality = dataset.cardinality()
    if cardinality == tf.data.INFINITE_CARDINALITY:
        return True
    inputs = dataset._inputs()
    if cardinality != tf.data.UNKNOWN_CARDINALITY or len(inputs) != 1 or _Node(dataset, ()).kind in _MAY_END:
        return False
    return is_endless(inputs[0])


def may_be_endless(dataset: Any) -> bool:
    """Whether it never ends, or is a generator, whose end nobody knows but the generator."""
    unknown = bool(dataset.cardinality() == tf.data.UNKNOWN_CARDINALITY)
    return is_endless(dataset) or (unknown and traits_of(dataset).python)


def how_to_resume(traits: Traits, *, saveable: bool) -> Resume:
    """The cheapest way back to a position that is known to be right.

    Args:
        saveable: whether TensorFlow can save the state of the iterator.
    """
    if not saveable or traits.obstacle is not None:
        return Resume.REPLAY
    if traits.endless or traits.shuffles == 0:
        return Resume.RESTORE
    return Resume.ORDER if traits.has_orders else Resume.MAKE


def _obstacle(nodes: list[_Node], *, operations: set[str], endless: bool) -> str | None:
    if operations & _PYTHON:
        return "it runs Python"
    if operations:
        return f"its functions have state: {', '.join(sorted(operations))}"
    for node in nodes:
        # What TensorFlow wraps as a bare variant hides what is below.
        known = node.kind in _SAVED_WHOLE or node.is_shuffle if node.dataset._inputs() else node.kind != "Variant"
        if not known or node.kind == "Random":
            return f"{node.kind} in it"
        if node.is_shuffle and not _drawn_as_foreseen(node, endless=endless):
            return f"a shuffle below {' and '.join(kind for kind in node.above if kind not in _HOLDS_NOTHING)}"
    return None


def _drawn_as_foreseen(shuffle: _Node, *, endless: bool) -> bool:
    """Whether a shuffle draws seeds once per iterator of the whole, or has all of its state saved at any time."""
    above = list(shuffle.above)
    if endless and "Repeat" in above:
        below_repeat = above[: above.index("Repeat")]
        above = above[len(below_repeat) + 1 :]
        if not _HOLDS_NOTHING.issuperset(below_repeat):
            return False
    return all(kind in _READ_ONCE or kind.startswith("Shuffle") for kind in above)


def _nodes(dataset: Any, *, above: tuple[str, ...]) -> Iterator[_Node]:
    node = _Node(opened(dataset), above)
    yield node
    for below in node.dataset._inputs():
        yield from _nodes(below, above=(node.kind, *above))


def _stateful_operations(dataset: Any) -> Iterator[str]:
    """The operations with state in the functions of one step, those that only make a dataset left out."""
    for function in dataset._functions():
        graph = function.function.graph.as_graph_def()
        inner = (node for function in graph.library.function for node in function.node_def)
        for name in {node.op for node in [*graph.node, *inner]}:
            definition = op_def_registry.get(name)
            if definition is not None and definition.is_stateful and name not in _HARMLESS and not _is_source(name):
                yield name


def _is_source(operation: str) -> bool:
    """Whether it makes a dataset that is the same whenever it is made."""
    return "Dataset" in operation and not operation.startswith(("Anonymous", "Cache", "Generator", "Random", "Shuffle"))
