"""What a dataset is made of, as far as it matters for saving its position."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import tensorflow as tf


class Resume(Enum):
    """How the position in a dataset is brought back. Found by trying every kind on TensorFlow 2.21."""

    RESTORE = "the iterator's state is all there is"
    TOUCH = "several shuffles: each past epoch's iterator must be made and read once, for its seeds to be drawn"
    REPLAY = "the state cannot be saved or does not hold all: everything is read again"


@dataclass(frozen=True)
class Traits:
    """What was seen in a dataset's tree."""

    shuffles: int
    joined_shuffles: bool
    endless: bool


def traits_of(dataset: Any) -> Traits:
    nodes = list(_nodes(dataset))
    shuffles = sum(1 for node in nodes if _is(node, "Shuffle"))
    joins = [node for node in nodes if _is(node, "Concatenate")]
    joined = any(_is(below, "Shuffle") for join in joins for below in _nodes(join))
    endless = bool(dataset.cardinality() == tf.data.INFINITE_CARDINALITY)
    return Traits(shuffles=shuffles, joined_shuffles=joined, endless=endless)


def how_to_resume(traits: Traits, *, saveable: bool) -> Resume:
    if not saveable or traits.joined_shuffles:
        return Resume.REPLAY
    return Resume.TOUCH if traits.shuffles > 1 else Resume.RESTORE


def _nodes(dataset: Any) -> Iterator[Any]:
    yield dataset
    for below in dataset._inputs():
        yield from _nodes(below)


def _is(node: Any, kind: str) -> bool:
    return kind in type(node).__name__
