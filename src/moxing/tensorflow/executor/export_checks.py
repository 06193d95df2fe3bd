"""Whether what a `model_fn` wants to export can be exported."""

from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.specs import ExportSpec


def check_export_spec(given: object, *, graph: tf.Graph) -> ExportSpec:
    """The `ExportSpec` of a `model_fn` that was called with EXPORT.

    Raises:
        WrongValue: a ValueError, if there is none, if it names tensors of elsewhere, or if an output needs an input
            that is not among its inputs.
    """
    if given is None:
        raise WrongValue(
            "export_model was given, but model_fn returned no export_spec",
            hint="mox.ModelSpec(..., export_spec=mox.ExportSpec(inputs_dict={...}, outputs_dict={...}))",
        )
    if not isinstance(given, ExportSpec):
        raise WrongValue(f"export_spec is a {type(given).__name__}", hint="give a mox.ExportSpec")
    for kind, tensors in (("inputs_dict", given.inputs_dict), ("outputs_dict", given.outputs_dict)):
        if not tensors and kind == "outputs_dict":
            raise WrongValue("outputs_dict of ExportSpec is empty", hint="name at least one tensor of model_fn")
        _check_origin(kind, tensors, graph=graph)
    _check_inputs_suffice(given)
    return given


def _check_origin(kind: str, tensors: Mapping[str, Any], *, graph: tf.Graph) -> None:
    for name, tensor in tensors.items():
        if getattr(tensor, "graph", None) is not graph:
            shown = f"a {type(tensor).__name__}" if getattr(tensor, "graph", None) is None else "made elsewhere"
            raise WrongValue(
                f"{kind}[{name!r}] of ExportSpec is {shown}", hint="name tensors that model_fn makes, or its inputs"
            )


def _check_inputs_suffice(spec: ExportSpec) -> None:
    fed = {tensor.op for value in spec.inputs_dict.values() for tensor in _parts(value)}
    for name, output in spec.outputs_dict.items():
        for needed in _placeholders(output, stop_at=fed):
            raise WrongValue(
                f"outputs_dict[{name!r}] of ExportSpec needs {needed.name}, which is not in inputs_dict",
                hint="add that input, or export an output that does without it",
            )


def _placeholders(output: Any, *, stop_at: set[Any]) -> Iterator[Any]:
    waiting, seen = [tensor.op for tensor in _parts(output)], set(stop_at)
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type == "Placeholder":
            yield operation
        waiting += [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]


def _parts(value: Any) -> list[Any]:
    return [value.indices, value.values, value.dense_shape] if isinstance(value, tf.SparseTensor) else [value]
