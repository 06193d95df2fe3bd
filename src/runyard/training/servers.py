"""TensorFlow's servers, through which the processes of a job with parameter servers talk."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from runyard.cluster import Place, Role
from runyard.cluster.taken_port import taken_port

DISMISSAL = "runyard_dismissal"
"""Under this name a server has a function of Python that ends it."""


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
        raise taken_port(place, why=error.message) from error
