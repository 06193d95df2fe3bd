"""TensorFlow's servers, through which the processes of a job with parameter servers talk."""

import contextlib
import os
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from runyard.cluster import Member, Place, Role
from runyard.errors import AddressInUse
from runyard.telemetry import note

DISMISSAL = "runyard_dismissal"
"""Under this name a server has a function of Python that ends it."""

_FIRST_WORD = 10.0
"""Seconds after which somebody should know for whom this process waits."""


def cluster_spec(place: Place) -> Any:
    """The cluster as TensorFlow's servers want it."""
    roles = {str(role): list(found) for role in Role if (found := place.cluster.addresses(role))}
    return tf.train.ClusterSpec(roles)


def prepare_environment() -> None:
    """Before a server starts: a call to a process that is gone fails at once instead of being tried for ever."""
    os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")


@contextlib.contextmanager
def refusing_taken_port(place: Place) -> Iterator[None]:
    """The context in which TensorFlow starts the server of this process.

    Raises:
        AddressInUse: if its port is taken.
    """
    try:
        yield
    except tf.errors.UnknownError as error:
        address = place.cluster.address(place.member)
        raise AddressInUse(f"{place.member} cannot listen at {address}: {error.message}") from error


def wait_for(others: Sequence[tuple[Member, str]]) -> None:
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
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5) as connection:
            # A port that nobody listens at may be given to the very connection that looks for it.
            return connection.getsockname() != connection.getpeername()
    except OSError:
        return False
