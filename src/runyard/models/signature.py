"""The function that a model server calls: named tensors in, named tensors out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, output_names
from runyard.bridge.distinct import distinct_names


@dataclass(frozen=True)
class Signature:
    """A model in inference mode.

    Args:
        function: takes the inputs by name and gives the outputs by name.
        structured: takes and gives what the model itself does.
        inputs, outputs: specs by name, in the model's order.
    """

    function: Any
    structured: Any
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]

    def description(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {"inputs": _described(self.inputs), "outputs": _described(self.outputs)}


def serving_signature(model: Any, *, spec: Any) -> Signature:
    """Traces a model for inputs of a spec.

    An input is called as its key in a dict, or its name in the model, or `input_1`. An output is called as its key,
    or its name in the model, or `output_1`. What may not be in the name of a parameter becomes `_`.
    """
    leaves = tf.nest.flatten(spec)
    names = named_leaves(spec)
    structured = tf.function(lambda inputs: call_model(model, inputs, training=False), autograph=False)
    structured.get_concrete_function(spec)

    def by_name(tensors: Sequence[Any]) -> dict[str, Any]:
        outputs = call_model(model, tf.nest.pack_sequence_as(spec, list(tensors)), training=False)
        return named_outputs(model, outputs)

    named = [_with_name(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
    function = tf.function(by_name, autograph=False).get_concrete_function(named)
    outputs: Any = function.structured_outputs
    return Signature(function, structured, dict(zip(names, leaves, strict=True)), dict(outputs))


def named_leaves(spec: Any) -> list[str]:
    """The names of inputs in the order of `tf.nest`, as a server knows them."""
    return _as_parameters(_input_names(spec))


def named_outputs(model: Any, outputs: Any) -> dict[str, Any]:
    """What a model gives, by the names that a server knows."""
    return dict(zip(_as_parameters(_output_names(model, outputs)), tf.nest.flatten(outputs), strict=True))


def _with_name(spec: Any, name: str) -> Any:
    return tf.TensorSpec(spec.shape, spec.dtype, name=name) if isinstance(spec, tf.TensorSpec) else spec


def _input_names(spec: Any) -> list[str]:
    leaves = enumerate(_leaves(spec), start=1)
    return [path or getattr(leaf, "name", None) or f"input_{place}" for place, (path, leaf) in leaves]


def _output_names(model: Any, outputs: Any) -> list[str]:
    found = list(_leaves(outputs))
    names = output_names(model, count=len(found))
    return [path or name for (path, _), name in zip(found, names, strict=True)]


def _leaves(structure: Any, *, path: str = "") -> Iterator[tuple[str, Any]]:
    """Tensors in the order of `tf.nest`, each with the keys that lead to it."""
    if isinstance(structure, Mapping):
        for key in sorted(structure):
            yield from _leaves(structure[key], path=f"{path}_{key}" if path else str(key))
    elif isinstance(structure, tuple | list):
        for place, inner in enumerate(structure):
            yield from _leaves(inner, path=f"{path}_{place}" if path else "")
    else:
        yield path, structure


def _as_parameters(names: Sequence[str]) -> list[str]:
    return distinct_names(re.sub(r"\W", "_", name, flags=re.ASCII) for name in names)


def _described(specs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        name: {"shape": _shape(spec), "dtype": getattr(spec.dtype, "name", str(spec.dtype))}
        for name, spec in specs.items()
    }


def _shape(spec: Any) -> list[int | None] | None:
    return None if spec.shape.rank is None else spec.shape.as_list()
