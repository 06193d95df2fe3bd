"""Several steps in one session call: a loop around a copy of the step, on the same variables and the same data.

All steps of a run go through the copy, single ones too: random numbers then come in the same order however calls are
cut. What is only looked at (scalars for a line, summaries) is computed in the last step of a call, if it is wanted.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
from tensorflow.python.ops import control_flow_util

from moxing.tensorflow.executor.subgraph import Subgraph, ancestors, is_handle

_IN_THE_WAY = frozenset({"Placeholder", "VariableV2", "Enter"})
"""What is fed with every step; variables that cannot be captured; loops of TensorFlow 1, which cannot be nested."""
_ONLY_READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd"})


class Watched:
    """Tensors of a step that are computed when they are wanted.

    Args:
        done: the names of the operations that the step runs anyway, and that are not run again.

    Attributes:
        given: tensors of the step that these are computed from.
        after: operations of the step that these must wait for.
        effects: the names of operations beside the step that may change something.
    """

    def __init__(self, tensors: Sequence[Any], *, done: set[str]) -> None:
        self.wanted = tf.placeholder_with_default(False, [], name="wanted")
        self._tensors = list(tensors)
        self.size = len(self._tensors)
        graph = tf.get_default_graph()
        operations = [graph.get_operation_by_name(name) for name in ancestors(tensors, done=done)]
        used = [tensor for operation in operations for tensor in operation.inputs]
        used += [tensor for tensor in tensors if tensor.op.name in done]
        self.given = list({tensor.name: tensor for tensor in used if tensor.op.name in done}.values())
        before = {one.name: one for operation in operations for one in operation.control_inputs if one.name in done}
        self.after = [operation for operation in before.values() if not is_handle(operation)]
        self.effects = {operation.name for operation in operations if _may_change_something(operation)}
        self._rest = Subgraph(tensors, given=self.given, done=done) if tensors else None

    @property
    def types(self) -> frozenset[str]:
        return self._rest.types if self._rest is not None else frozenset()

    def nothing(self) -> list[Any]:
        return [tf.zeros([], tensor.dtype) for tensor in self._tensors]

    def computed(self, given: dict[str, Any]) -> list[Any]:
        assert self._rest is not None
        capture = getattr(tf.get_default_graph(), "capture", lambda tensor: tensor)
        captured = {name: capture(tensor) for name, tensor in given.items()}
        return [_scalar(tensor) for tensor in self._rest.copied(captured, name="watched")]


class ManySteps:
    """A loop of steps.

    Args:
        step: the operation of a step, and what is needed from it for the watched tensors.
    """

    def __init__(self, step: Subgraph, watched: Sequence[Watched]) -> None:
        self._count = tf.placeholder(tf.int32, [], name="number_of_steps")
        self._watched = list(watched)
        names = [needed.name for group in watched for needed in (*group.given, *group.after)]

        def body(number: Any, *_: Any) -> tuple[Any, ...]:
            done, *needed = step.copied(name="step")
            given = dict(zip(names, needed, strict=True))
            last = tf.equal(number, self._count - 1)
            values: list[Any] = []
            for group in watched:
                mine = {tensor.name: given[tensor.name] for tensor in group.given}
                if group.size:
                    want = tf.logical_and(last, group.wanted)
                    with tf.control_dependencies([given[operation.name] for operation in group.after]):
                        values += _if(want, partial(group.computed, mine), group.nothing)
            with tf.control_dependencies([done]):
                return (number + 1, *map(tf.identity, values))

        with _functional_loops():
            begin = [tf.constant(0), *(value for group in watched for value in group.nothing())]
            self._done, *values = tf.while_loop(
                lambda number, *_: number < self._count,
                body,
                begin,
                parallel_iterations=1,
                return_same_structure=True,
            )
        self._values: list[list[Any]] = []
        for group in watched:
            self._values.append(values[: group.size])
            values = values[group.size :]

    def run(self, session: Any, steps: int, *, wanted: Sequence[bool], options: Any = None) -> list[Any]:
        """Runs some steps, and gives the values in the last of them of those tensors that are wanted."""
        feed: dict[Any, Any] = {self._count: steps}
        fetches: list[Any] = [self._done.op]
        for group, values, want in zip(self._watched, self._values, wanted, strict=True):
            fetches.append(values if want else [])
            if want:
                feed[group.wanted] = True
        return session.run(fetches, feed, options=options)[1:]


def many_steps(operation: Any, watched: Sequence[Sequence[Any]]) -> ManySteps | None:
    """The loop; None if this step cannot be put into one."""
    done = set(ancestors([operation]))
    groups = [Watched(tensors, done=done) for tensors in watched]
    step = Subgraph([operation, *(needed for group in groups for needed in (*group.given, *group.after))])
    types = step.types.union(*(group.types for group in groups))
    if types & _IN_THE_WAY or _twice(groups):
        return None
    return ManySteps(step, groups)


def _twice(groups: Sequence[Watched]) -> bool:
    """Whether groups have an effect in common, such as a metric's update, which must be once for all of them."""
    effects = [name for group in groups for name in group.effects]
    return len(effects) > len(set(effects))


def _may_change_something(operation: Any) -> bool:
    return bool(operation.op_def.is_stateful) and not is_handle(operation) and operation.type not in _ONLY_READS


def _if(condition: Any, then: Any, otherwise: Any) -> list[Any]:
    found = tf.cond(condition, then, otherwise)
    return list(found) if isinstance(found, list | tuple) else [found]


def _scalar(tensor: Any) -> Any:
    tensor = tf.identity(tensor)
    tensor.set_shape([])
    return tensor


@contextmanager
def _functional_loops() -> Iterator[None]:
    """In a process of TensorFlow 1, too, this loop is one that can capture what is outside."""
    before = control_flow_util.ENABLE_CONTROL_FLOW_V2
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
    try:
        yield
    finally:
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = before
