"""A part of a graph that can be copied into a function, on the same variables and the same stream of data."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

_HANDLES = frozenset(
    {
        "VarHandleOp",
        "VariableV2",
        "OneShotIterator",
        "IteratorV2",
        "Iterator",
        "AnonymousIterator",
        "HashTableV2",
        "MutableHashTableV2",
        "MutableDenseHashTableV2",
        "MutableHashTableOfTensorsV2",
        "AnonymousHashTable",
        "FIFOQueueV2",
        "PaddingFIFOQueueV2",
        "RandomShuffleQueueV2",
        "PriorityQueueV2",
        "TFRecordReaderV2",
        "TextLineReaderV2",
        "WholeFileReaderV2",
        "IdentityReaderV2",
        "FixedLengthRecordReaderV2",
        "LMDBReader",
        "ConditionalAccumulator",
        "BarrierV2",
    }
)
"""What stands for something that lives outside: a copy of it in a function would be another one."""


class Subgraph:
    """The operations that some tensors need.

    Args:
        targets: tensors and operations.
        given: tensors that are not computed again but handed in.
        done: the names of operations that are not run again, whoever waits for them.
        apart: types of operations that are copied although they are handles, so that each copy has its own.
    """

    def __init__(
        self,
        targets: Sequence[Any],
        *,
        given: Sequence[Any] = (),
        done: Set[str] = frozenset(),
        apart: frozenset[str] = frozenset(),
    ) -> None:
        self._graph = targets[0].graph
        self._targets = [target.name for target in targets]
        names = ancestors(targets, until=given, done=done)
        inside = {name: str(self._graph.get_operation_by_name(name).type) for name in names}
        self.types = frozenset(inside.values())
        outside = {name for name, kind in inside.items() if kind in _HANDLES - apart}
        self._handles = [f"{name}:0" for name in outside]
        self._definition = _part(self._graph.as_graph_def(), keep=inside.keys() - outside)
        self._inputs = {_tensor_name(name) for node in self._definition.node for name in node.input}

    def copied(self, given: Mapping[str, Any] | None = None, *, name: str) -> list[Any]:
        """The targets again, in the function graph that is being built.

        Args:
            given: the tensors that are handed in, by name.
        """
        capture = getattr(tf.get_default_graph(), "capture", lambda tensor: tensor)
        known = {handle: capture(self._graph.get_tensor_by_name(handle)) for handle in self._handles}
        known |= given or {}
        computed = [target for target in self._targets if target not in known]
        made = tf.import_graph_def(
            self._definition,
            input_map={key: tensor for key, tensor in known.items() if key in self._inputs},
            return_elements=computed,
            name=name,
        )
        for target, copy in zip(computed, made or (), strict=True):
            if isinstance(copy, tf.Tensor):
                # Some shapes are known to the graph only because a program has set them.
                copy.set_shape(self._graph.get_tensor_by_name(target).shape)
            known[target] = copy
        return [known[target] for target in self._targets]


def is_handle(operation: Any) -> bool:
    """Whether it stands for something that all copies share, such as a variable."""
    return operation.type in _HANDLES


def ancestors(targets: Sequence[Any], *, until: Sequence[Any] = (), done: Set[str] = frozenset()) -> list[str]:
    """The names of all operations that the targets need, themselves included."""
    stop = done | {tensor.op.name for tensor in until}
    waiting = [target if isinstance(target, tf.Operation) else target.op for target in targets]
    seen: dict[str, None] = {}
    while waiting:
        operation = waiting.pop()
        if operation.name in seen or operation.name in stop:
            continue
        seen[operation.name] = None
        waiting += [tensor.op for tensor in operation.inputs]
        waiting += operation.control_inputs
    return list(seen)


def _part(definition: Any, *, keep: Set[str]) -> Any:
    part = tf.GraphDef(versions=definition.versions, library=definition.library)
    for node in definition.node:
        if node.name not in keep:
            continue
        kept = part.node.add()
        kept.CopyFrom(node)
        kept.attr.pop("_class", None)
        del kept.input[:]
        kept.input.extend(name for name in node.input if not name.startswith("^") or name[1:] in keep)
    return part


def _tensor_name(written: str) -> str:
    """An input in a definition leaves out `:0`."""
    return written if ":" in written else f"{written}:0"
