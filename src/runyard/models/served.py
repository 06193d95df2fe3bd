"""A SavedModel as a model server sees it: arrays by name in, arrays by name out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge.saving import quiet_keras
from runyard.errors import ModelError
from runyard.models.exported import serving_function

_HALVES = (tf.float16.as_datatype_enum, tf.bfloat16.as_datatype_enum)


class ServedModel:
    """The function of a SavedModel that a server would call.

    Raises:
        ModelError: if there is none, or the SavedModel cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            with quiet_keras():
                # What is loaded owns the variables, so it must live as long as the function.
                self._loaded = tf.saved_model.load(str(path))
        except Exception as error:
            raise ModelError(f"the SavedModel {path} cannot be read: {' '.join(str(error).split())[:300]}") from error
        self._function = serving_function(self._loaded, path=path)
        signatures: Any = self._loaded.signatures
        self.signature = next(name for name, function in signatures.items() if function is self._function)
        self.inputs: Mapping[str, Any] = dict(self._function.structured_input_signature[1])

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        tensors = {name: _tensor(array, self.inputs[name]) for name, array in inputs.items()}
        return {name: plain_array(output) for name, output in self._function(**tensors).items()}

    @property
    def any_rows(self) -> bool:
        """Whether every input has a first dimension of any size."""
        shapes = [spec.shape for spec in self.inputs.values()]
        return all(shape.rank and shape[0] is None for shape in shapes)

    @property
    def half_precision(self) -> bool:
        """Whether anything is computed in halves."""
        graph = self._function.graph.as_graph_def()
        nodes = (node for part in (graph.node, *(each.node_def for each in graph.library.function)) for node in part)
        return any(attribute.type in _HALVES for node in nodes for attribute in node.attr.values())


def plain_array(output: Any) -> Any:
    """The numbers of an output as NumPy has them; rows of ragged and sparse outputs side by side."""
    if isinstance(output, tf.RaggedTensor | tf.SparseTensor):
        output = output.values
    array = np.asarray(output)
    return array.astype(np.float32) if tf.as_dtype(array.dtype) == tf.bfloat16 else array


def _tensor(array: Any, spec: Any) -> Any:
    return tf.constant(array, spec.dtype) if isinstance(spec, tf.TensorSpec) else array
