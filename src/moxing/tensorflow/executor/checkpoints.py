"""Which checkpoint a run starts from, and what of it is loaded."""

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import CannotRestore
from moxing.tensorflow.executor.gradients import matching
from moxing.tensorflow.executor.hooks.memory import MEMORY
from moxing.tensorflow.executor.lines import log_line, warn_line
from moxing.tensorflow.executor.nearby import told_nearby
from moxing.tensorflow.executor.request import RunRequest
from moxing.tensorflow.executor.step_scale import STEP_SCALE

_A_FILE_OF_ONE = re.compile(r"\.(index|meta|data-\d+-of-\d+)$")


@dataclass(frozen=True)
class Source:
    """A checkpoint to start from.

    Attributes:
        prefix: its path, without `.index`.
        own: it is of `log_dir`: this run goes on from it.
    """

    prefix: str
    own: bool


def find_source(request: RunRequest) -> Source | None:
    """The checkpoint that the run starts from; None: training starts with new variables.

    Training goes on from `log_dir` if it can; other modes load what `checkpoint_path` says, if it says something.

    Raises:
        CannotRestore: if a mode other than TRAIN has nothing to load from.
    """
    own = newest_checkpoint(request.log_dir)
    given = newest_checkpoint(request.checkpoint_path)
    if request.is_training:
        if own is not None:
            if request.checkpoint_path is not None:
                log_line(f"Ignoring --checkpoint_path because a checkpoint already exists in {request.log_dir}")
            return Source(own, own=True)
        if given is None and request.checkpoint_path is not None:
            near = told_nearby(request.checkpoint_path)
            warn_line(
                f"there is no checkpoint at {request.checkpoint_path}: training starts with new variables"
                + (f"; {near}" if near else "")
            )
        return None if given is None else Source(given, own=False)
    found = given if request.checkpoint_path is not None else own
    if found is None:
        raise CannotRestore(
            f"mode {request.run_mode} needs a checkpoint, and there is none"
            f" at {request.checkpoint_path or request.log_dir or 'hand: neither checkpoint_path nor log_dir is given'}",
            hint=told_nearby(request.checkpoint_path or request.log_dir or "")
            or "give mox.run the `checkpoint_path` of a training: a model.ckpt-N, or the folder that has it",
        )
    return Source(found, own=False)


def newest_checkpoint(path: str | None) -> str | None:
    """The checkpoint that a path leads to: itself, or the newest readable one in the folder."""
    if path is None:
        return None
    if not tf.gfile.IsDirectory(path):
        prefix = _A_FILE_OF_ONE.sub("", path)
        return prefix if _is_there(prefix) and _is_readable(prefix) else None
    state = tf.train.get_checkpoint_state(path)
    listed = [] if state is None else list(state.all_model_checkpoint_paths)
    for candidate in reversed(listed):
        if _is_readable(candidate):
            return str(candidate)
    return _largest_number(path)


def _largest_number(folder: str) -> str | None:
    """For a folder without a list of its checkpoints, such as a copy of the files alone."""
    numbered: dict[int, str] = {}
    for file in tf.gfile.Glob(os.path.join(folder, "*.index")):  # noqa: PTH118 - may be an address
        prefix = file.removesuffix(".index")
        number = prefix.rpartition("-")[2]
        numbered[int(number) if number.isdecimal() else -1] = prefix
    return next((numbered[number] for number in sorted(numbered, reverse=True) if _is_readable(numbered[number])), None)


def _is_there(prefix: str) -> bool:
    """A checkpoint is several files, or, in the oldest form, one."""
    return bool(tf.gfile.Exists(f"{prefix}.index") or tf.gfile.Exists(prefix))


def _is_readable(prefix: str) -> bool:
    try:
        return _is_there(prefix) and tf.train.load_checkpoint(prefix) is not None
    except (tf.errors.OpError, RuntimeError, ValueError):
        warn_line(f"the checkpoint {prefix} cannot be read and is passed over")
        return False


def variables_to_load(source: Source, *, model_variables: Collection[str], flags: Any, training: bool) -> list[Any]:
    """The variables that the checkpoint has values for.

    What is not the model's own (an optimizer's slots, the step) may be missing: it starts anew.

    Args:
        model_variables: the names of the model's own variables.
        training: patterns of the flags choose what is loaded from a foreign checkpoint.

    Raises:
        CannotRestore: if a variable of the model is missing or has another shape.
    """
    shapes = tf.train.load_checkpoint(source.prefix).get_variable_to_shape_map()
    variables = {_saved_name(variable): variable for variable in tf.global_variables()}
    wanted = set(variables)
    if training and not source.own:
        # What hooks know is of the training before.
        wanted = {name for name in wanted if not name.startswith(MEMORY)}
        if flags.checkpoint_include_patterns:
            wanted = matching(sorted(wanted), flags.checkpoint_include_patterns)
        wanted -= matching(sorted(wanted), flags.checkpoint_exclude_patterns)
    missing = sorted(name for name in wanted if name not in shapes)
    needed = [name for name in missing if name in model_variables]
    if needed:
        raise CannotRestore(
            f"the checkpoint {source.prefix} has no value for {_listed(needed)}",
            hint=_remedy(source, training=training),
        )
    _check_shapes(
        source, {name: variables[name] for name in sorted(wanted) if name in shapes}, shapes, training=training
    )
    anew = [name for name in missing if name not in ("global_step", STEP_SCALE) and not name.startswith(MEMORY)]
    if anew:
        log_line(f"{_listed(anew)} not in {source.prefix}: starting anew")
    return [variables[name] for name in variables if name in wanted and name in shapes]


def _check_shapes(source: Source, variables: dict[str, Any], shapes: dict[str, Any], *, training: bool) -> None:
    for name, variable in variables.items():
        info = variable._get_save_slice_info()
        expected = list(info.full_shape) if info is not None else variable.shape.as_list()
        if expected != list(shapes[name]):
            raise CannotRestore(
                f"the checkpoint {source.prefix} has {name} with shape {list(shapes[name])}; the model has {expected}",
                hint=_remedy(source, training=training),
            )


def _saved_name(variable: Any) -> str:
    info = variable._get_save_slice_info()
    return str(info.full_name if info is not None else variable.op.name)


def _remedy(source: Source, *, training: bool) -> str:
    if source.own:
        return "it is of another model: give a new log_dir, or delete the checkpoints to start over"
    if training:
        return "to leave variables out: mox.set_flag('checkpoint_exclude_patterns', 'logits'), or the flag of that name"
    return "model_fn must make the variables that it made in training, with the same names"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
