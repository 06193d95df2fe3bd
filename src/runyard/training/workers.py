"""The processes that train one model together, as far as a training needs to know of them."""

import contextlib
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np

from runyard.errors import PeerLost


class Workers(Protocol):
    """All processes of a training, seen from one of them.

    Every method but `sum_vector` is called between calls of many steps, by all workers in the same order: each waits
    until the others have come to the same place.
    """

    @property
    def size(self) -> int: ...

    @property
    def index(self) -> int: ...

    def sum_vector(self, vector: Any) -> Any:
        """The sum over all workers; inside a `tf.function`."""
        ...

    def totals(self, numbers: Iterable[float]) -> Any:
        """The sums of a few numbers over all workers."""
        ...

    def gather(self, data: bytes) -> list[bytes]:
        """What each of the workers has given, in their order."""
        ...

    def broadcast(self, data: bytes) -> bytes:
        """What the chief has given."""
        ...

    def refusing_lost_peers(self) -> AbstractContextManager[None]:
        """The context in which steps run: raises `PeerLost` when another worker is gone."""
        ...


class Alone:
    """A process that trains by itself: nothing is added to what it does."""

    size = 1
    index = 0

    def sum_vector(self, vector: Any) -> Any:
        return vector

    def totals(self, numbers: Iterable[float]) -> Any:
        return np.asarray(list(numbers), np.float64)

    def gather(self, data: bytes) -> list[bytes]:
        return [data]

    def broadcast(self, data: bytes) -> bytes:
        return data

    def refusing_lost_peers(self) -> AbstractContextManager[None]:
        return nullcontext()


ALONE = Alone()


def is_chief(workers: Workers) -> bool:
    """Whether this is the one that writes and speaks for all."""
    return workers.index == 0


def meet(workers: Workers) -> None:
    """Returns when all have come here: before it nobody begins.

    Raises:
        PeerLost: if one is gone.
    """
    workers.totals([0.0])


def wait_for_all(workers: Workers) -> None:
    """Returns when all have come here.

    Or when one is gone: the last word of one that has been here and ended may get lost. If the others still need it,
    their next exchange tells.
    """
    with contextlib.suppress(PeerLost):
        workers.totals([0.0])
