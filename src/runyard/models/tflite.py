"""TensorFlow Lite. Runs in a process of its own: see `converting`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.models.conversion import Unconvertible, Untried

_LISTED = re.compile(r"(?:Custom|Select|Flex) ops: ([\w, ]+)")

_OF_TENSORFLOW = re.compile(r"\(Flex(\w+)\)")


def convert(saved_model: Path, file: Path, *, signature: str) -> list[str]:
    """Writes the file, with TensorFlow Lite's own operations alone where they suffice; remarks for the user.

    Raises:
        Unconvertible: if there are operations that neither TensorFlow Lite nor its TensorFlow part has.
    """
    own, select = tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS
    remarks: list[str] = []
    try:
        content = _converted(saved_model, signature=signature, operations=[own])
    except Exception as first:
        try:
            content = _converted(saved_model, signature=signature, operations=[own, select])
        except Exception as error:
            lacking = _operations(str(error))
            if not lacking:
                raise
            raise Unconvertible("TensorFlow Lite has no counterpart", operations=lacking) from error
        used = ", ".join(_operations(str(first))) or "some of its operations"
        remarks = [f"the runtime needs TensorFlow's own operations (the Flex delegate) for {used}"]
    file.write_bytes(content)
    return remarks


def _converted(saved_model: Path, *, signature: str, operations: list[Any]) -> bytes:
    converter: Any = tf.lite.TFLiteConverter.from_saved_model(str(saved_model), signature_keys=[signature])
    converter.target_spec.supported_ops = operations
    return converter.convert()


def _operations(message: str) -> list[str]:
    """The operations that the converter's message lists."""
    found = (name.strip() for names in _LISTED.findall(message) for name in names.split(","))
    return sorted({name for name in found if name})


class Runner:
    """The file in TensorFlow Lite's interpreter."""

    def __init__(self, file: Path, *, signature: str) -> None:
        self._interpreter: Any = tf.lite.Interpreter(model_path=str(file))
        self._run = self._interpreter.get_signature_runner(signature)

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        known = self._run.get_input_details()
        try:
            return dict(self._run(**{name: inputs[name] for name in known}))
        except RuntimeError as error:
            needed = sorted(set(_OF_TENSORFLOW.findall(str(error))))
            if not needed:
                raise
            raise Untried(
                f"it needs TensorFlow's own operations ({', '.join(needed)}), "
                "which the interpreter of this TensorFlow does not have"
            ) from error
