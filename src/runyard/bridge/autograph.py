"""Python conditions on tensors in the user's code."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def autograph_on() -> Iterator[None]:
    """Keras 2 converts the user's `call`, losses and metrics in this block, as it does in `fit`; Keras 3 never does.

    Our own functions are traced without AutoGraph, which would switch it off for the user's code, too.
    """
    from tensorflow.python.autograph.core import ag_ctx  # importing the bridge must not import TensorFlow

    with ag_ctx.ControlStatusCtx(status=ag_ctx.Status.ENABLED):
        yield
