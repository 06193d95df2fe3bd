"""The TensorFlow server of this process, and the life of a parameter server."""

import atexit
import contextlib
import os
import threading
import time
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.lines import log_line
from runyard.cluster import Member, Place, Role
from runyard.errors import AddressInUse

_LOOK_AGAIN = 0.3
_TO_SAY_GOODBYE = 5.0
_HERE, _LEFT = 0, 1
_DIRECTLY = "no_grpc_proxy"
_started: dict[Place, Any] = {}


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
        address = place.cluster.address(member)
        raise AddressInUse(
            f"{member} cannot listen at {address}: {error.message.partition(chr(10))[0]}",
            hint="is another process using this port, such as one of an earlier run?",
        ) from None
    if member.role is Role.WORKER:
        _say(place, _HERE)
        atexit.register(_say, place, _LEFT)
    _started[place] = server
    return server


def _without_proxy(place: Place) -> None:
    """Members talk to each other directly, whatever the environment says about the way to the Internet."""
    hosts = [place.cluster.address(member).rpartition(":")[0].strip("[]") for member in place.cluster.members()]
    known = [host for host in os.environ.get(_DIRECTLY, "").split(",") if host]
    os.environ[_DIRECTLY] = ",".join(dict.fromkeys([*known, *hosts]))


def serve(place: Place) -> NoReturn:
    """Serves parameters until all workers have left, and ends the process.

    A worker that was killed has not left: it is expected back.
    """
    config = tf.ConfigProto(device_filters=[_device(place.member)])
    server = start_server(place, config=config)
    workers = set(range(len(place.cluster.worker)))
    left: set[int] = set()
    log_line(f"{place.member} serves {len(workers)} workers at {place.cluster.address(place.member)}")
    with tf.Graph().as_default():
        news = _news(place.member)
        waiting, received = news.size(), news.dequeue()
        with tf.Session(server.target, config=config) as session:
            while left != workers:
                for _ in range(session.run(waiting)):
                    index, what = map(int, session.run(received))
                    (left.add if what == _LEFT else left.discard)(index)
                time.sleep(_LOOK_AGAIN)
    log_line(f"{place.member} ends: all workers are done")
    raise SystemExit(0)


def _device(member: Member) -> str:
    return f"/job:{member.role}/task:{member.index}"


def _news(server: Member) -> Any:
    """What workers tell a parameter server: their number, and whether they are here or have left."""
    with tf.device(_device(server)):
        return tf.queue.FIFOQueue(1024, [tf.int32, tf.int32], shapes=[(), ()], shared_name="mox_news")


def _say(place: Place, what: int) -> None:
    """Tells all parameter servers. At the end of the process one that is gone must not keep it."""

    def tell() -> None:
        with contextlib.suppress(tf.errors.OpError):
            for member in place.cluster.members():
                if member.role is Role.PS:
                    _tell(place.cluster.address(member), member, place.member.index, what)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    thread.join(_TO_SAY_GOODBYE if what == _LEFT else None)


def _tell(address: str, server: Member, index: int, what: int) -> None:
    config = tf.ConfigProto(device_filters=[_device(server)])
    with tf.Graph().as_default():
        said = _news(server).enqueue((index, what))
        with tf.Session(f"grpc://{address}", config=config) as session:
            session.run(said)
