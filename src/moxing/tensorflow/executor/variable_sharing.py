"""One set of variables for all clones and modes of a graph, by name, however they are made.

`tf.get_variable` shares by itself. `tf.Variable`, and Keras layers, which use it, would make new ones in every clone
and name them after the clone; here they get the name without the clone, and the next clone gets the variable of that
name.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.foreign_layers import refuse_keras_3


@dataclass
class UsedVariables:
    """The variables that one clone has used."""

    handles: set[str] = field(default_factory=set)

    def add(self, variable: Any) -> None:
        # A partitioned variable is several.
        for part in [variable] if hasattr(variable, "op") else variable:
            self.handles.add(part.op.name)

    def __contains__(self, item: Any) -> bool:
        return isinstance(item, tf2.Variable) and item.op.name in self.handles


class SharedVariables:
    """The variables of a graph that clones have in common."""

    def __init__(self) -> None:
        self._made: dict[tuple[bool, str, int], Any] = {}

    @contextmanager
    def clone(self, scope: str, *, reuse: Any) -> Iterator[UsedVariables]:
        """Within it a clone is built.

        Args:
            scope: the name scope of the clone, with a slash at its end.
            reuse: as of `tf.variable_scope`.
        """
        used = UsedVariables()
        creator = self._creator(scope, used)
        with (
            tf.variable_scope(tf.get_variable_scope(), reuse=reuse, use_resource=True, custom_getter=_recording(used)),
            tf.name_scope(scope),
            tf.variable_creator_scope(creator),
        ):
            yield used

    def _creator(self, scope: str, used: UsedVariables) -> Callable[..., Any]:
        asked: Counter[tuple[bool, str]] = Counter()

        def create(make: Callable[..., Any], **wanted: Any) -> Any:
            refuse_keras_3()
            wanted["use_resource"] = True
            if not _is_global(wanted.get("collections")):
                return make(**wanted)
            around = tf.get_default_graph().get_name_scope()
            name = f"{around}/{wanted.get('name') or 'Variable'}".lstrip("/")
            in_clone = name.startswith(scope)
            key = (in_clone, name.removeprefix(scope))
            number = asked[key]
            asked[key] += 1
            variable = self._made.get((*key, number))
            if variable is None:
                wanted["name"] = key[1]
                with tf.name_scope(None):
                    variable = self._made[(*key, number)] = make(**wanted)
            else:
                _check_shape(variable, wanted)
            used.add(variable)
            return variable

        return create


def resource_variables() -> Any:
    """Within it every variable is a resource variable, in processes of TensorFlow 1 too."""

    def create(make: Callable[..., Any], **wanted: Any) -> Any:
        return make(**{**wanted, "use_resource": True})

    return tf.variable_creator_scope(create)


def _recording(used: UsedVariables) -> Callable[..., Any]:
    def get(getter: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        variable = getter(*arguments, **named)
        used.add(variable)
        return variable

    return get


def _is_global(collections: Any) -> bool:
    return collections is None or tf.GraphKeys.GLOBAL_VARIABLES in collections


def _check_shape(variable: Any, wanted: dict[str, Any]) -> None:
    shape = wanted.get("shape")
    if shape is not None and not variable.shape.is_compatible_with(shape):
        raise WrongValue(
            f"model_fn makes the variable {variable.name} with shape {tf.TensorShape(shape)} in one clone or mode and"
            f" with shape {variable.shape} in another",
            hint="the layers of a model must be made in the same order and with the same sizes in every mode",
        )
