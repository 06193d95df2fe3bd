"""ONNX, by way of tf2onnx. Runs in a process of its own: see `converting`."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runyard.models.conversion import Unconvertible

_OPSET = 18
"""Of 2022: it has all that tf2onnx makes, and runtimes of the last years read it."""


def convert(saved_model: Path, file: Path, *, signature: str) -> list[str]:
    """Writes the file; remarks for the user.

    Raises:
        Unconvertible: if ONNX has no counterpart of some operations.
    """
    import onnx
    from tf2onnx import convert as tf2onnx

    # The program, not its functions: it alone knows of lookup tables.
    sys.argv = ["tf2onnx", "--saved-model", str(saved_model), "--output", str(file), "--opset", str(_OPSET)]
    sys.argv += ["--tag", "serve", "--signature_def", signature]
    tf2onnx.main()
    model = onnx.load(str(file))
    versions = {entry.domain: entry.version for entry in model.opset_import}
    unknown = {node.op_type for node in _nodes(model.graph) if not _is_known(onnx, node, versions=versions)}
    if unknown:
        raise Unconvertible("ONNX has no counterpart", operations=sorted(unknown))
    onnx.checker.check_model(model)
    return []


def _nodes(graph: Any) -> Iterator[Any]:
    """All nodes, those of branches and loop bodies included."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _is_known(onnx: Any, node: Any, *, versions: Mapping[str, int]) -> bool:
    return onnx.defs.has(node.op_type, versions.get(node.domain, 0), node.domain)


class Runner:
    """The file in ONNX Runtime."""

    def __init__(self, file: Path, *, signature: str) -> None:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        self._session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        # What the model does not use is not an input of the file.
        known = [entry.name for entry in self._session.get_inputs()]
        given = {name: _as_text(inputs[name]) for name in known}
        names = [output.name for output in self._session.get_outputs()]
        return dict(zip(names, self._session.run(names, given), strict=True))


def _as_text(array: Any) -> Any:
    return array.astype(str).astype(object) if array.dtype.kind == "S" else array
