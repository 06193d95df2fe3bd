"""Calls `model_fn` once for every clone."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clone_collections import CloneCollections, collections_of
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.foreign_layers import foreign_layers_told
from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.executor.place import Place
from moxing.tensorflow.executor.request import RunRequest
from moxing.tensorflow.executor.specs import ExportSpec, ModelSpec
from moxing.tensorflow.executor.var_scope import var_scope
from moxing.tensorflow.executor.variable_sharing import SharedVariables
from moxing.tensorflow.utils.callbacks_running import inside_callback
from runyard.bridge.graph_layers import depends_on_model_input, layers_of_one_copy
from runyard.bridge.half_layers import layers_in_half

_NEEDED = {
    ModeKeys.TRAIN: ("loss", "the scalar that training makes small"),
    ModeKeys.EVAL: ("log_info", "the scalars to be measured, by name"),
    ModeKeys.PREDICT: ("output_info", "the tensors for output_fn, by name"),
    ModeKeys.EXPORT: ("export_spec", "a mox.ExportSpec with the inputs and outputs of the exported model"),
}


@dataclass(frozen=True)
class Clone:
    """One copy of the model.

    Attributes:
        scope: its name scope, with a slash at its end.
    """

    spec: ModelSpec
    scope: str
    collections: CloneCollections

    @property
    def update_operations(self) -> list[Any]:
        """What the model's layers want to be run with every step."""
        wanted = self.collections.get(tf.GraphKeys.UPDATE_OPS)
        return [update for update in wanted if not depends_on_model_input(update)]


def build_clones(
    request: RunRequest,
    inputs: Sequence[Any],
    mode: str,
    *,
    place: Place,
    shared: SharedVariables,
    inter: bool = False,
    half: bool = False,
) -> list[Clone]:
    """The clones of a mode, on shared variables.

    Args:
        inputs: of each clone.
        inter: this is the inter mode: most of its variables are there already.
        half: the model computes in float16 and keeps its variables in float32.

    Raises:
        WrongValue: if what `model_fn` returns cannot be used.
    """
    return [
        build_clone(
            request,
            one,
            mode,
            scope=f"inter_{number}/" if inter else f"clone_{number}/",
            reuse=tf.AUTO_REUSE if inter else True if number else None,
            device=place.device(number),
            shared=shared,
            half=half,
        )
        for number, one in enumerate(inputs)
    ]


def build_clone(
    request: RunRequest,
    inputs: Any,
    mode: str,
    *,
    scope: str,
    reuse: Any,
    device: Any,
    shared: SharedVariables,
    half: bool = False,
) -> Clone:
    """One call of `model_fn`."""
    graph = tf.get_default_graph()
    with (
        tf.device(device),
        shared.clone(scope, reuse=reuse) as used,
        collections_of(graph, used) as collections,
        layers_of_one_copy(graph),
        var_scope(force_dtype=tf.float32) if half else nullcontext(),
        layers_in_half() if half else nullcontext(),
        inside_callback("model_fn"),
        foreign_layers_told(),
    ):
        spec = request.model_fn(inputs, mode)
    _check(spec, mode, has_reader=request.output_fn is not None)
    return Clone(spec, scope, collections)


def _check(spec: Any, mode: str, *, has_reader: bool) -> None:
    if not isinstance(spec, ModelSpec):
        returned = "nothing" if spec is None else repr(spec)
        raise WrongValue(f"model_fn returned {returned} for mode {mode}; it must return a mox.ModelSpec")
    name, meaning = _NEEDED[mode]
    value = getattr(spec, name)
    if value is None or (isinstance(value, list | dict) and not value):
        raise WrongValue(f"the mox.ModelSpec of model_fn has no `{name}`; mode {mode} needs it: {meaning}")
    if spec.export_spec is not None and not isinstance(spec.export_spec, ExportSpec):
        raise WrongValue(f"`export_spec` of mox.ModelSpec is {spec.export_spec!r}; it must be a mox.ExportSpec")
    for key, value in spec.log_info.items():
        if not isinstance(value, int | float):
            _check_scalar(f"`log_info[{key!r}]`", value)
    for key, value in spec.output_info.items():
        if value is None and (has_reader or mode == ModeKeys.PREDICT):
            raise WrongValue(f"`output_info[{key!r}]` of mox.ModelSpec is None; it must be a tensor")
    if mode == ModeKeys.TRAIN:
        for loss in losses_of(spec):
            _check_scalar("`loss`", loss)
            _check_floating(loss)


def losses_of(spec: ModelSpec) -> list[Any]:
    """All losses, be it one or several."""
    return list(spec.loss) if isinstance(spec.loss, list | tuple) else [spec.loss]


def _check_floating(loss: Any) -> None:
    kind = tf.as_dtype(loss.dtype)
    if not kind.is_floating:
        raise WrongValue(
            f"`loss` of mox.ModelSpec is of type {kind.name}; it must be a floating number, or it has no gradient",
            hint="tf.cast(labels, tf.float32) before the loss is computed",
        )


def _check_scalar(name: str, tensor: Any) -> None:
    if not hasattr(tensor, "shape"):
        raise WrongValue(f"{name} of mox.ModelSpec is {tensor!r}; it must be a tensor")
    if tf.TensorShape(tensor.shape).rank not in (0, None):
        raise WrongValue(
            f"{name} of mox.ModelSpec has shape {tensor.shape}; it must be a scalar", hint="tf.reduce_mean makes it one"
        )
