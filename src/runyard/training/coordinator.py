"""One process that drives workers and parameter servers.

Parameter servers hold the variables, workers compute steps on them at their own pace, and this process tells them what
to do. They run nothing but TensorFlow's own server: models, data and functions come from here. To the rest of a
training the coordinator is a process that works alone.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context

from runyard.cluster import Member, Place, Role
from runyard.errors import CheckpointError, PeerLost
from runyard.telemetry import note
from runyard.training.workers import Alone, Workers

DISMISSAL = "runyard_dismissal"
"""Under this name a server has a function of Python that ends it."""

_FIRST_WORD = 10.0
"""Seconds after which somebody should know for whom this process waits."""


class Coordinator(Alone):
    """Made once, before TensorFlow does anything else in the process.

    Args:
        place: of this process in a cluster with parameter servers. It is the chief; where the cluster names none it is
            worker 0, which coordinates and computes.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        cluster = place.cluster
        _wait_for([(member, cluster.address(member)) for member in cluster.members() if member != place.member])
        prepare_environment()
        tf.config.experimental_connect_to_cluster(
            cluster_spec(place), job_name=str(place.member.role), task_index=place.member.index, protocol="grpc"
        )
        self.here = _device(place.member)
        self.workers = [_device(Member(Role.WORKER, index)) for index in range(len(cluster.worker))]
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
        """The job is done: all that serve it end."""
        for device in {*self.workers, *self._servers} - {self.here}:
            with contextlib.suppress(tf.errors.OpError), tf.device(device):
                tf.raw_ops.PyFunc(input=[], token=DISMISSAL, Tout=[tf.bool])

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


def refuse_other_driver(values: Mapping[str, Any], *, workers: Workers, where: str) -> None:
    """Each worker of parameter servers goes on at its own place in the data, so there must be as many as there were.

    Args:
        values: of a checkpoint.

    Raises:
        CheckpointError: if there were more or fewer, or no parameter servers.
    """
    saved = len(values.get("data", {}).get("each", ()))
    now = len(workers.workers) if isinstance(workers, Coordinator) else 0
    if saved != now:
        raise CheckpointError(
            f"the checkpoint in {where} is of a run {_driven(saved)}, this one is {_driven(now)}",
            hint=f"go on {_options(saved)}, choose another ckpt_path, or start over with --fresh",
        )


def _driven(workers: int) -> str:
    if not workers:
        return "without parameter servers"
    return f"with parameter servers and {workers} {'worker' if workers == 1 else 'workers'}"


def _options(workers: int) -> str:
    return f"with --workers {workers} --ps 1 or more" if workers else "with --ps 0"


def cluster_spec(place: Place) -> Any:
    """The cluster as TensorFlow's servers want it."""
    roles = {str(role): list(found) for role in Role if (found := place.cluster.addresses(role))}
    return tf.train.ClusterSpec(roles)


def prepare_environment() -> None:
    """Before a server starts: a call to a process that is gone fails at once instead of being tried for ever."""
    os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it: what fails because a server is gone may have been explained in some way."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_of_peers(error: BaseException) -> bool:
    """Whether something fails because another process is gone."""
    return isinstance(error, tf.errors.UnavailableError | tf.errors.AbortedError | tf.errors.CancelledError)


def _device(member: Member) -> str:
    return f"/job:{member.role}/replica:0/task:{member.index}/device:CPU:0"


def _is_server(device: str | None) -> bool:
    return f"/job:{Role.PS}/" in (device or "")


def _wait_for(others: Sequence[tuple[Member, str]]) -> None:
    """Returns when all of them listen. A supervisor or platform ends a process that waits in vain."""
    since = time.monotonic()
    noted = False
    for member, address in others:
        while not _listens(address):
            if not noted and time.monotonic() - since > _FIRST_WORD:
                note(f"waiting for {member} at {address}")
                noted = True
            time.sleep(0.2)


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
            return True
    except OSError:
        return False
