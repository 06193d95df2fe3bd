"""A model of which only the graph is left: a SavedModel that no Keras can rebuild."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.errors import DataError, ModelError

_SERVING = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class ExportedModel:
    """Callable like a model in inference mode.

    A SavedModel with a function `serve` (Runyard's and Keras 3's) takes and gives what its model did. Any other is
    called by its signature: a dict of inputs, or one tensor where there is one input; it gives one tensor, or a dict.

    Raises:
        ModelError: if the SavedModel has no function to call.
    """

    def __init__(self, loaded: Any, *, path: Path) -> None:
        self.name = path.name
        self.output_names: list[str] = []
        """In the order of the outputs, where they are known."""
        self._loaded = loaded
        serve: Any = getattr(loaded, "serve", None)
        traced = getattr(serve, "concrete_functions", None)
        self._by_name = not traced
        if traced:
            self._function = serve
            self._spec = traced[0].structured_input_signature[0][0]
        else:
            self._function = serving_function(loaded, path=path)
            self._spec = self._function.structured_input_signature[1]

    def __call__(self, inputs: Any, training: bool = False) -> Any:
        """The outputs.

        Raises:
            DataError: if the inputs are not those of the model.
        """
        if not self._by_name:
            return self._function(_fitted(inputs, self._spec))
        if not isinstance(inputs, Mapping) and len(self._spec) == 1:
            inputs = {next(iter(self._spec)): inputs}
        outputs = self._function(**_fitted(inputs, self._spec))
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs


def serving_function(loaded: Any, *, path: Path) -> Any:
    """The signature that a model server calls: `serving_default`, or the only one.

    Raises:
        ModelError: if there is none.
    """
    signatures: Any = getattr(loaded, "signatures", {})
    if _SERVING in signatures:
        return signatures[_SERVING]
    if len(signatures) == 1:
        return next(iter(signatures.values()))
    raise ModelError(f"the SavedModel {path} cannot be called: its signatures are {sorted(signatures)}, not {_SERVING}")


def _fitted(inputs: Any, spec: Any) -> Any:
    """The inputs in the structure of the spec, with its types; keys that the model does not know are left out."""
    if isinstance(spec, Mapping):
        if not isinstance(inputs, Mapping) or not set(spec) <= set(inputs):
            given = sorted(inputs) if isinstance(inputs, Mapping) else type(inputs).__name__
            raise DataError(f"the model takes a dict with {sorted(spec)}, it was given {given}")
        return {key: _fitted(inputs[key], inner) for key, inner in spec.items()}
    if isinstance(spec, tuple | list):
        if isinstance(inputs, Mapping):  # Keras 2 exports the inputs of a dict as a list of named tensors.
            inputs = [inputs[leaf.name] for leaf in spec if getattr(leaf, "name", None) in inputs] or inputs
        if not isinstance(inputs, tuple | list) or len(inputs) != len(spec):
            given = len(inputs) if isinstance(inputs, tuple | list) else type(inputs).__name__
            raise DataError(f"the model takes a tuple of {len(spec)} inputs, it was given {given}")
        return type(spec)(_fitted(tensor, inner) for tensor, inner in zip(inputs, spec, strict=True))
    return fitted_tensor(inputs, spec)


def fitted_tensor(tensor: Any, spec: Any) -> Any:
    """As Keras does for its own models: numbers are cast, and (rows,) goes where (rows, 1) is expected."""
    if not isinstance(spec, tf.TensorSpec):
        return tensor
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype != spec.dtype and tf.string not in (tensor.dtype, spec.dtype):
        tensor = tf.cast(tensor, spec.dtype)
    one_short = tensor.shape.rank is not None and spec.shape.rank == tensor.shape.rank + 1
    return tf.expand_dims(tensor, -1) if one_short and spec.shape[-1] == 1 else tensor
