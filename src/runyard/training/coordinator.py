"""One process that drives workers and parameter servers.

Parameter servers hold the variables, workers compute steps on them at their own pace, and this process tells them what
to do. They run nothing but TensorFlow's own server: models, data and functions come from here. To the rest of a
training the coordinator is a process that works alone.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context

from runyard.cluster import Member, Place, Role
from runyard.cluster.listening import wait_for_listeners
from runyard.errors import PeerLost
from runyard.telemetry import note
from runyard.training.servers import DISMISSAL, cluster_spec, prepare_environment, refusing_taken_port
from runyard.training.workers import Alone

_SECONDS_TO_ANSWER = 10.0


class Coordinator(Alone):
    """Made once, before TensorFlow does anything else in the process.

    Args:
        place: of this process in a cluster with parameter servers. It is the chief; where the cluster names none it is
            worker 0, which coordinates and computes.

    Raises:
        AddressInUse: if the port of this process is taken.
        PeerLost: if one of the others ends before the job has begun.
    """

    def __init__(self, place: Place) -> None:
        cluster = place.cluster
        wait_for_listeners(place, tell=note)
        prepare_environment()
        tf.config.experimental_connect_to_cluster(
            cluster_spec(place), job_name=str(place.member.role), task_index=place.member.index, protocol="grpc"
        )
        with refusing_taken_port(place), self.refusing_lost_peers():
            tf.config.list_logical_devices()  # connects
        self.here = _device(place.member)
        # A chief without workers computes itself.
        self.workers = [_device(Member(Role.WORKER, index)) for index in range(len(cluster.worker))] or [self.here]
        self._servers = [_device(Member(Role.PS, index)) for index in range(len(cluster.ps))]
        self._load = [0] * len(self._servers)

    def placing_variables(self) -> AbstractContextManager[None]:
        """Variables that are made within the block are on parameter servers, each on the one that holds least."""
        return tf.variable_creator_scope(self._create)

    def on_all_workers(self, work: Callable[[int], None]) -> None:
        """Calls `work` with the index of every worker, all at once, each with that worker as its device.

        Raises:
            Exception: what the first of them has raised. The loss of a peer tells less than any other error.
        """
        raised: list[Exception] = []

        def one(index: int) -> None:
            try:
                with tf.device(self.workers[index]):
                    work(index)
            except Exception as error:
                raised.append(error)

        threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(len(self.workers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if raised:
            raise next((error for error in raised if not is_of_peers(error)), raised[0])

    def dismiss(self) -> None:
        """The job is done: all that serve it end. One that does not answer is not waited for long."""
        others = {*self.workers, *self._servers} - {self.here}
        threads = [threading.Thread(target=_dismiss, args=(device,), daemon=True) for device in others]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + _SECONDS_TO_ANSWER
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    @contextlib.contextmanager
    def refusing_lost_peers(self) -> Iterator[None]:
        try:
            yield
        except PeerLost:
            raise
        except Exception as error:
            if not any(map(is_of_peers, _with_causes(error))):
                raise
            raise PeerLost(
                "a worker or a parameter server of this job is gone, so the coordinator cannot go on"
            ) from error

    def _create(self, next_creator: Any, **arguments: Any) -> Any:
        eager: Any = context.context()
        if _is_server(eager.device_name):
            # Somebody has chosen one: an optimizer keeps what it remembers beside the variable.
            return next_creator(**arguments)
        first = arguments["initial_value"]
        with tf.device(self.here):
            # Drawn here, so that weights begin as they do in a training without parameter servers.
            value: Any = first() if callable(first) else first
        arguments["initial_value"] = value
        lightest = self._load.index(min(self._load))
        with tf.device(self._servers[lightest]):
            variable: Any = next_creator(**arguments)
        self._load[lightest] += variable.dtype.size * (variable.shape.num_elements() or 1)
        return variable


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it: what fails because a server is gone may have been explained in some way."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_of_peers(error: BaseException) -> bool:
    """Whether something fails because another process is gone."""
    return isinstance(error, tf.errors.UnavailableError | tf.errors.AbortedError | tf.errors.CancelledError)


def _dismiss(device: str) -> None:
    with contextlib.suppress(tf.errors.OpError), tf.device(device):
        tf.raw_ops.PyFunc(input=[], token=DISMISSAL, Tout=[tf.bool])


def _device(member: Member) -> str:
    return f"/job:{member.role}/replica:0/task:{member.index}/device:CPU:0"


def _is_server(device: str | None) -> bool:
    return f"/job:{Role.PS}/" in (device or "")
