"""The TensorFlow server of this process, and the life of a parameter server."""

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Collection
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_waiting import is_reached
from moxing.tensorflow.executor.lines import log_line
from moxing.tensorflow.executor.stopping import stopped_early
from runyard.cluster import Member, Place, Role
from runyard.cluster.signals import StopSignals
from runyard.cluster.taken_port import taken_port
from runyard.telemetry import show_error

_LOOK_AGAIN = 0.3
_TO_SAY_GOODBYE = 5.0
_FOR_WORKERS = 25.0
"""Seconds that a parameter server that is asked to end stays for workers that may still save."""
_HERE, _CHIEF = -1, 0
_DIRECTLY = "no_grpc_proxy"
_started: dict[Place, Any] = {}
_exit_codes: dict[Place, int] = {}


def start_server(place: Place, *, config: tf.ConfigProto) -> Any:
    """The server of this process: one, however often `mox.run` is called.

    Raises:
        AddressInUse: if somebody else has its port.
    """
    if place in _started:
        return _started[place]
    _without_proxy(place)
    cluster = {str(role): list(place.cluster.addresses(role)) for role in (Role.WORKER, Role.PS)}
    member = place.member
    try:
        server = tf.train.Server(cluster, job_name=str(member.role), task_index=member.index, config=config)
    except (tf.errors.UnknownError, tf.errors.UnavailableError) as error:
        raise taken_port(place, why=error.message.partition("\n")[0]) from None
    if member.role is Role.WORKER:
        _say(place, _HERE)
        atexit.register(_say_goodbye, place)
    _started[place] = server
    return server


def _without_proxy(place: Place) -> None:
    """Members talk to each other directly, whatever the environment says about the way to the Internet."""
    hosts = [place.cluster.address(member).rpartition(":")[0].strip("[]") for member in place.cluster.members()]
    known = [host for host in os.environ.get(_DIRECTLY, "").split(",") if host]
    os.environ[_DIRECTLY] = ",".join(dict.fromkeys([*known, *hosts]))


def leave_with(place: Place, exit_code: int) -> None:
    """What parameter servers are to be told when this process ends."""
    _exit_codes[place] = exit_code


def serve(place: Place) -> NoReturn:
    """Serves parameters until all workers have left, and ends the process as the first of them did.

    A worker that was killed has not left: it is expected back, unless a signal has stopped the first one or this
    server. Then the server stays for those that are still there: they may be saving.

    Raises:
        SystemExit: always; a program that goes on after a KeyboardInterrupt has nothing to do in this process.
    """
    config = tf.ConfigProto(device_filters=[_device(place.member)])
    server = start_server(place, config=config)
    workers = set(range(len(place.cluster.worker)))
    left: dict[int, int] = {}
    log_line(f"{place.member} serves {len(workers)} workers at {place.cluster.address(place.member)}")
    with tf.Graph().as_default(), StopSignals() as signals:
        news = _news(place.member)
        waiting, received = news.size(), news.dequeue()
        with tf.Session(server.target, config=config) as session:
            stay = _Stay(place)
            while True:
                for _ in range(session.run(waiting)):
                    index, what = map(int, session.run(received))
                    left.pop(index, None)
                    if what != _HERE:
                        left[index] = what
                here = workers - left.keys()
                is_stopping = signals.received is not None or left.get(_CHIEF)
                if not here or (is_stopping and not stay.for_any(here)):
                    break
                time.sleep(_LOOK_AGAIN)
    if _CHIEF not in left:
        stopped = stopped_early(signals, ends=f"{place.member} ends")
        show_error(stopped.message)
        raise SystemExit(stopped.exit_code)
    log_line(f"{place.member} ends: {'the chief was stopped' if left[_CHIEF] else 'all workers are done'}")
    raise SystemExit(left[_CHIEF])


class _Stay:
    """How long a parameter server stays after a signal."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._until: float | None = None

    def for_any(self, workers: Collection[int]) -> bool:
        """Whether one of these is still there, and it is not too late."""
        addresses = self._place.cluster.worker
        there = any(is_reached(addresses[worker]) for worker in workers)
        if self._until is None:
            self._until = time.monotonic() + _FOR_WORKERS
            if there:
                log_line(f"{self._place.member} is to end; it stays up to {_FOR_WORKERS:.0f} s for workers that save")
        return there and time.monotonic() < self._until


def _device(member: Member) -> str:
    return f"/job:{member.role}/task:{member.index}"


def _news(server: Member) -> Any:
    """What workers tell a parameter server: who they are, and that they are here or with what exit code they leave."""
    with tf.device(_device(server)):
        return tf.queue.FIFOQueue(1024, [tf.int32, tf.int32], shapes=[(), ()], shared_name="mox_news")


def _say_goodbye(place: Place) -> None:
    _say(place, _exit_codes.get(place, 0))


def _say(place: Place, what: int) -> None:
    """Tells all parameter servers. At the end of the process one that is gone must not keep it."""

    def tell() -> None:
        with contextlib.suppress(tf.errors.OpError):
            for member in place.cluster.members():
                if member.role is Role.PS:
                    _tell(place.cluster.address(member), member, place.member.index, what)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    thread.join(None if what == _HERE else _TO_SAY_GOODBYE)


def _tell(address: str, server: Member, index: int, what: int) -> None:
    config = tf.ConfigProto(device_filters=[_device(server)])
    with tf.Graph().as_default():
        said = _news(server).enqueue((index, what))
        with tf.Session(f"grpc://{address}", config=config) as session:
            session.run(said)
