"""Builds everything that a run needs into the default graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.checkpoints import Source, find_source
from moxing.tensorflow.executor.clones import Clone, build_clone, build_clones
from moxing.tensorflow.executor.exporting import plan_export
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hook_list import families_of, registered
from moxing.tensorflow.executor.inputs import Inputs, read_inputs
from moxing.tensorflow.executor.inter_mode import InterMode
from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.executor.place import Place
from moxing.tensorflow.executor.request import RunRequest
from moxing.tensorflow.executor.run_view import RunView
from moxing.tensorflow.executor.specs import ModelSpec
from moxing.tensorflow.executor.step_scale import STEP_SCALE
from moxing.tensorflow.executor.updates import TrainStep, train_step
from moxing.tensorflow.executor.variable_sharing import SharedVariables, resource_variables


@dataclass(frozen=True, kw_only=True)
class RunGraph:
    """A run, ready for a session.

    Attributes:
        hooks: registered with the session.
        step: one training step; None in other modes.
        source: the checkpoint to start from, if any.
        model_variables: the names of what is the model's own, not an optimizer's.
        export: writes the exported model when the run is over; None if that was not asked for.
    """

    request: RunRequest
    place: Place
    flags: Any
    inputs: Inputs
    clones: Sequence[Clone]
    global_step: Any
    view: RunView
    hooks: Sequence[Any]
    step: TrainStep | None
    source: Source | None
    model_variables: frozenset[str]
    export: Any


def build_graph(request: RunRequest, *, place: Place, flags: Any, export_dir: str | None) -> RunGraph:
    """Calls the callbacks of a run and puts together what they make.

    Args:
        export_dir: where the exported model goes; the request's `log_dir` may be a local copy.

    Raises:
        WrongValue: if they do not fit together.
        CannotRestore: if a mode other than TRAIN has no checkpoint.
    """
    source = find_source(request) if place.is_chief else None
    half = bool(flags.use_fp16)
    with resource_variables(), place.building():
        with tf.device(place.variable_device):
            global_step = tf.train.get_or_create_global_step()
        inputs = read_inputs(request, request.run_mode, place=place, half=half)
        shared = SharedVariables()
        clones = build_clones(request, inputs.of_clones, request.run_mode, place=place, shared=shared, half=half)
        view = RunView(num_clones=place.num_clones, batch_size=request.batch_size, is_chief=place.is_chief)
        families = families_of(clones, inter=False)
        if request.inter_mode is not None:
            families += _add_inter_mode(request, view, place=place, shared=shared, half=half)
        elif request.is_training and (left_out := families_of(clones, inter=True)):
            raise WrongValue(
                f"{type(left_out[0][0]).__name__} runs the inter mode, but mox.run has no `inter_mode`",
                hint="inter_mode=mox.ModeKeys.EVAL",
            )
        model_variables = frozenset(variable.op.name for variable in tf.global_variables()) - {
            global_step.op.name,
            STEP_SCALE,
        }
        step = None
        if request.is_training:
            step = train_step(request, clones, place=place, flags=flags, global_step=global_step)
        with tf.device(place.variable_device):
            hooks = registered(families, view)
    return RunGraph(
        request=request,
        place=place,
        flags=flags,
        inputs=inputs,
        clones=clones,
        global_step=global_step,
        view=view,
        hooks=[hook for hook in hooks if place.acts_for_all or not hook.support_sync_workers()],
        step=step,
        source=source,
        model_variables=model_variables,
        export=_plan_export(request, inputs, export_dir, half=half) if request.export_model else None,
    )


def _add_inter_mode(
    request: RunRequest, view: RunView, *, place: Place, shared: SharedVariables, half: bool
) -> list[list[Any]]:
    mode = request.inter_mode
    assert mode is not None
    inputs = read_inputs(request, mode, place=place, half=half, restartable=True)
    clones = build_clones(request, inputs.of_clones, mode, place=place, shared=shared, inter=True, half=half)
    around = [hook for family in families_of(clones, inter=False) for hook in family]
    view.inter = InterMode(mode, restart=inputs.restart, hooks=around)
    return families_of(clones, inter=True)


def _plan_export(request: RunRequest, inputs: Inputs, export_dir: str | None, *, half: bool) -> Any:
    def build() -> ModelSpec:
        with resource_variables():
            made = inputs.placeholders()
            return build_clone(
                request,
                made,
                ModeKeys.EXPORT,
                scope="export/",
                reuse=None,
                device=None,
                shared=SharedVariables(),
                half=half,
            ).spec

    return plan_export(build, export_model=request.export_model, log_dir=export_dir)
