"""Keras layers that compute in float16 and keep their variables in float32."""

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_POLICIES = ("tf_keras.src.mixed_precision.policy", "tensorflow.python.keras.mixed_precision.policy")
_MIXED = "mixed_float16"


@contextmanager
def layers_in_half() -> Iterator[None]:
    """Within it, layers of Keras 2 that are made without a dtype compute in float16, unless the program says more."""
    with ExitStack() as stack:
        for name in _POLICIES:
            stack.enter_context(_with_policy(importlib.import_module(name)))
        yield


@contextmanager
def _with_policy(policies: Any) -> Iterator[None]:
    before = policies.global_policy()
    if before.name == "float32":
        with policies.policy_scope(policies.Policy(_MIXED)):
            yield
    else:
        yield
