"""A process that serves a coordinator, as a parameter server or as a worker: it runs TensorFlow's server and waits."""

import threading
import time
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import script_ops

from runyard.cluster import Place
from runyard.training.servers import DISMISSAL, cluster_spec, prepare_environment, refusing_taken_port

_SECONDS_TO_ANSWER = 1.0


def serve(place: Place) -> None:
    """Returns when a coordinator has said that the job is done. A coordinator that starts again finds the server there.

    Raises:
        AddressInUse: if the port of this process is taken.
    """
    prepare_environment()
    dismissed = threading.Event()

    def dismiss() -> Any:
        dismissed.set()
        return True

    registry: Any = script_ops._py_funcs
    registry._funcs[DISMISSAL] = dismiss
    with refusing_taken_port(place):
        server = tf.distribute.Server(
            cluster_spec(place), job_name=str(place.member.role), task_index=place.member.index, protocol="grpc"
        )
    dismissed.wait()
    # The coordinator waits for the answer of `dismiss`, which is still on its way.
    time.sleep(_SECONDS_TO_ANSWER)
    del server
