"""The inputs of models that do not know them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, call_model, keras_version_of
from runyard.bridge.saving import guessed_input_spec, known_input_spec, observed_inputs
from runyard.errors import ModelError
from runyard.models.to_save import ModelToSave


def with_input_specs(models: Sequence[ModelToSave], *, trained: Any, input_spec: Any) -> list[ModelToSave]:
    """Fills in what training knows: subclassed Keras 3 models do not remember the types of their inputs.

    Args:
        trained: the model of the training loop. A model inside it, such as one of two towers, gets the spec of what
            the trained model passes to it.
        input_spec: the inputs of the trained model.
    """
    return [_with_spec(one, trained=trained, input_spec=input_spec) for one in models]


def _with_spec(one: ModelToSave, *, trained: Any, input_spec: Any) -> ModelToSave:
    version = keras_version_of(one.model)
    if one.input_spec is not None or version is None or known_input_spec(one.model, keras=version) is not None:
        return one
    if one.model is trained:
        return replace(one, input_spec=_open_batch(input_spec))
    if version == 3:
        return replace(one, input_spec=_spec_inside(one.model, trained=trained, input_spec=input_spec))
    return one


def _spec_inside(model: Any, *, trained: Any, input_spec: Any) -> Any:
    """What the trained model passes to a model inside it; None if it does not call it."""

    def call(inputs: Any) -> Any:
        return call_model(trained, inputs, training=False)

    with observed_inputs(model) as seen:
        tf.function(call, autograph=False).get_concrete_function(_open_batch(input_spec))
    return _open_batch(tf.nest.map_structure(tf.type_spec_from_value, seen[0])) if seen else None


def _open_batch(spec: Any) -> Any:
    """The same specs for any number of rows."""

    def opened(leaf: Any) -> Any:
        if not isinstance(leaf, tf.TensorSpec) or not leaf.shape.rank:
            return leaf
        return tf.TensorSpec([None, *leaf.shape[1:]], leaf.dtype)

    return tf.nest.map_structure(opened, spec)


def input_spec_of(one: ModelToSave, *, keras: KerasVersion) -> Any:
    """The inputs to save a model with. A model that was never called is called once, which makes its variables.

    Raises:
        ModelError: if nobody knows them.
    """
    known = known_input_spec(one.model, keras=keras)
    spec = next((found for found in (known, one.input_spec) if found is not None), None)
    spec = guessed_input_spec(one.model, keras=keras) if spec is None else spec
    if spec is None:
        raise ModelError(
            f"the model {one.name!r} cannot be saved: it has never been called, so nobody knows its inputs",
            hint="call it once in awf_model_to_save_fn with a batch of zeros, or build it with tf.keras.Input",
        )
    never_called = known is None if keras == 2 else not one.model.built
    if never_called:
        call_model(one.model, tf.nest.map_structure(_one_row, spec), training=False)
    return spec


def _one_row(spec: Any) -> Any:
    return tf.zeros([1 if size is None else size for size in spec.shape], spec.dtype)
