"""Keras layers in a graph of TensorFlow 1: their names, and what they update."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_KERAS_2 = "tf_keras.src"
_INSIDE_TENSORFLOW = "tensorflow.python.keras"
"""The copy that TensorFlow keeps for itself; old programs import layers from it."""


@contextmanager
def layers_of_one_copy(graph: Any) -> Iterator[None]:
    """Within it, layers are numbered from the beginning and their updates join the graph's update operations.

    A model that is built twice in a graph has layers of the same names then: `dense` again, not `dense_1`.
    """
    with ExitStack() as stack:
        for package in _packages():
            names = importlib.import_module(f"{package}.backend").PER_GRAPH_OBJECT_NAME_UIDS
            names.pop(graph, None)
            layer = importlib.import_module(f"{package}.engine.base_layer_v1").Layer
            stack.enter_context(_updates_collected(layer, graph))
        yield


def depends_on_model_input(update: Any) -> bool:
    """Whether an update hangs on the `Input` of a Keras model, which nobody feeds, not on what it was called with."""
    waiting, seen = [getattr(update, "op", update)], set[Any]()
    while waiting:
        operation = waiting.pop()
        if operation.name in seen:
            continue
        seen.add(operation.name)
        if operation.type == "Placeholder" and hasattr(operation.outputs[0], "_keras_history"):
            return True
        # With the control flow of TensorFlow 1 a branch knows what it is for only by what it waits for.
        waiting += [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]
    return False


def _packages() -> list[str]:
    return [package for package in (_KERAS_2, _INSIDE_TENSORFLOW) if f"{package}.backend" in sys.modules]


@contextmanager
def _updates_collected(layer: Any, graph: Any) -> Iterator[None]:
    original = layer.add_update

    def add_update(self: Any, *arguments: Any, **named: Any) -> None:
        before = len(self._updates)
        original(self, *arguments, **named)
        for update in self._updates[before:]:
            if getattr(update, "graph", None) is graph:
                graph.add_to_collection("update_ops", update)

    layer.add_update = add_update
    try:
        yield
    finally:
        layer.add_update = original
