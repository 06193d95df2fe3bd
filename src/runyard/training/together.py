"""Workers that talk through TensorFlow's own servers.

The strategy is used for nothing but its servers and its all-reduce: models, optimizers and data are those of a process
that trains alone.
"""

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.cluster import Place
from runyard.cluster.gathering import gather
from runyard.errors import PeerLost
from runyard.telemetry import note
from runyard.training.servers import refusing_taken_port

_NUMBERS_AT_ONCE = 2**22
"""How many numbers of four bytes go through one exchange of bytes."""

_SECONDS_TO_SPEAK_FIRST = 2.0
"""A worker with an error of its own has so long to tell it before those that only miss that worker end."""


class Together:
    """This process among others. Made once, before TensorFlow does anything else in the process.

    Args:
        place: of this process in its cluster.
        implementation: how tensors travel: AUTO, RING or NCCL.

    Raises:
        AddressInUse: if the port of this process is taken.
    """

    def __init__(self, place: Place, *, implementation: str = "AUTO") -> None:
        members = list(place.cluster.members())
        self.size = len(members)
        self.index = members.index(place.member)
        options = tf.distribute.experimental.CommunicationOptions(
            implementation=tf.distribute.experimental.CommunicationImplementation[implementation or "AUTO"]
        )
        gather(place, tell=note)
        with refusing_taken_port(place), self.refusing_lost_peers():
            self._strategy = tf.distribute.MultiWorkerMirroredStrategy(
                cluster_resolver=_OneDeviceEach(), communication_options=options
            )
        _listen_to_signals_again()
        self._sums = {
            kind: tf.function(self.sum_vector, autograph=False, input_signature=[tf.TensorSpec([None], kind)])
            for kind in (tf.float64, tf.int32)
        }

    def sum_vector(self, vector: Any) -> Any:
        def reduce(mine: Any) -> Any:
            context: Any = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(mine))

        return self._strategy.run(reduce, args=(vector,))

    def totals(self, numbers: Iterable[float]) -> Any:
        return self._sum(np.asarray(list(numbers), np.float64))

    def gather(self, data: bytes) -> list[bytes]:
        sizes = [int(size) for size in self.totals(self._in_my_place(len(data)))]
        everything = np.zeros([self.size, math.ceil(max(sizes) / 4)], np.int32)
        everything[self.index] = _as_numbers(data, width=everything.shape[1])
        width = max(1, _NUMBERS_AT_ONCE // self.size)
        for start in range(0, everything.shape[1], width):
            part = everything[:, start : start + width]
            everything[:, start : start + width] = self._sum(part.reshape(-1)).reshape(part.shape)
        return [row.tobytes()[:size] for row, size in zip(everything, sizes, strict=True)]

    def broadcast(self, data: bytes) -> bytes:
        mine = data if self.index == 0 else b""
        size = int(self.totals([len(mine)])[0])
        numbers = _as_numbers(mine, width=math.ceil(size / 4))
        for start in range(0, len(numbers), _NUMBERS_AT_ONCE):
            part = slice(start, start + _NUMBERS_AT_ONCE)
            numbers[part] = self._sum(numbers[part])
        return numbers.tobytes()[:size]

    @contextlib.contextmanager
    def refusing_lost_peers(self) -> Iterator[None]:
        try:
            yield
        except tf.errors.OpError as error:
            if not _is_of_peers(error):
                raise
            time.sleep(_SECONDS_TO_SPEAK_FIRST)
            raise PeerLost("another worker of this job is gone, so this one cannot go on") from error
        except RuntimeError as error:
            # Ctrl-C ends the others, too: Python hears of it while TensorFlow raises that they are gone.
            if KeyboardInterrupt.__name__ in str(error):
                raise KeyboardInterrupt from error
            raise

    def _sum(self, numbers: Any) -> Any:
        with self.refusing_lost_peers():
            return self._sums[tf.as_dtype(numbers.dtype)](tf.constant(numbers)).numpy()

    def _in_my_place(self, number: float) -> list[float]:
        return [number if index == self.index else 0.0 for index in range(self.size)]


class _OneDeviceEach(tf.distribute.cluster_resolver.TFConfigClusterResolver):
    """TF_CONFIG, for workers that add up on one device each, with however many they compute."""

    def num_accelerators(self, *args: Any, **options: Any) -> dict[str, int]:
        return dict.fromkeys(super().num_accelerators(*args, **options), 1)


def _listen_to_signals_again() -> None:
    """TensorFlow's servers take SIGTERM to themselves and do nothing about it: it means what it meant before."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM) or signal.SIG_DFL)


def _as_numbers(data: bytes, *, width: int) -> Any:
    return np.frombuffer(data.ljust(4 * width, b"\0"), np.int32).copy()


def _is_of_peers(error: Any) -> bool:
    """Whether TensorFlow fails because others do. What fails here alone never speaks of an aborted collective."""
    lost = tf.errors.UnavailableError | tf.errors.AbortedError | tf.errors.CancelledError
    return isinstance(error, lost) or "Collective ops is aborted by" in str(error)
