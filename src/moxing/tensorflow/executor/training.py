"""TRAIN: from a graph to trained weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.checkpoints import newest_checkpoint
from moxing.tensorflow.executor.graph import RunGraph
from moxing.tensorflow.executor.hook_list import looks_at_every_step
from moxing.tensorflow.executor.lines import log_line, warn_line
from moxing.tensorflow.executor.log_values import log_info
from moxing.tensorflow.executor.many_steps import ManySteps, many_steps
from moxing.tensorflow.executor.outputs import Outputs
from moxing.tensorflow.executor.progress import Progress
from moxing.tensorflow.executor.saving import CheckpointWriter, make_log_dir
from moxing.tensorflow.executor.session import open_session
from moxing.tensorflow.executor.stopping import stop_signals, stopped_training
from moxing.tensorflow.executor.summaries import SummaryWriter
from moxing.tensorflow.executor.training_loop import TrainingLoop
from moxing.tensorflow.executor.updates import TrainStep


def train(built: RunGraph) -> str | None:
    """Trains, and returns the last checkpoint, if checkpoints are written.

    Raises:
        Interrupted, Terminated: if a signal has ended it; what was trained is saved.
    """
    request, place = built.request, built.place
    writes = request.log_dir is not None and place.is_chief
    watched = _watched(built)
    outputs = _outputs(built)
    saver = tf.train.Saver(save_relative_paths=True) if writes else None
    summaries = _summaries(built, watched) if writes else None
    many = _many_steps(built, watched, summaries) if outputs is None else None
    checkpoints = CheckpointWriter(request, saver=saver, number=place.global_number) if writes else None
    limit = request.max_number_of_steps or None
    with open_session(built, saver=saver) as session, stop_signals(place) as signals:
        first = place.begin(session.raw())
        if checkpoints is not None:
            checkpoints.begin(session.raw(), first, there=built.source is not None and built.source.own)
        if limit is not None:
            log_line(f"Running will end at step: {limit}")
        if limit is not None and first >= limit and built.source is not None:
            _nothing_left(built, first)
        built.view.step = first - 1
        with Progress("TRAIN", first=first, limit=limit, rows_per_step=watched.rows or 0) as progress:
            last = TrainingLoop(
                session=session.monitored,
                raw_session=session.raw,
                operation=_step(built).operation,
                names=watched.names,
                watched=watched.tensors,
                rows=watched.rows,
                view=built.view,
                place=place,
                hooks=built.hooks,
                many=many,
                outputs=outputs,
                summaries=summaries,
                checkpoints=checkpoints,
                log_every=request.log_every_n_steps,
                limit=limit,
                progress=progress,
                signals=signals,
            ).run(first)
        stopped = session.monitored.should_stop()
        place.leave(session.raw(), stopped=stopped, signals=signals)
        if not place.is_local and limit is not None and last < limit and not stopped and signals.received is None:
            warn_line(
                f"training ends after {last} of {limit} steps: the data of a worker have ended, or a worker has failed"
            )
        if checkpoints is not None:
            checkpoints.save(session.raw(), last, anyway=place.has_uncounted_steps)
    if summaries is not None:
        summaries.close()
    if signals.received is not None:
        raise stopped_training(signals, saved=checkpoints is not None, place=place)
    return newest_checkpoint(request.log_dir) if writes else None


@dataclass(frozen=True)
class _Watched:
    """What lines and summaries show of a step.

    Attributes:
        names, values: of `log_info`.
        rows: of a step; None: the last of `tensors` tells.
    """

    names: Sequence[str]
    values: Sequence[Any]
    rows: int | None
    counted: Sequence[Any] = ()

    @property
    def tensors(self) -> list[Any]:
        return [*self.values, *self.counted]


def _watched(built: RunGraph) -> _Watched:
    info = log_info(built.clones, first_only=built.flags.log_first_clone)
    names, values = info.names, info.mean()
    if built.request.batch_size is not None:
        return _Watched(names, values, built.request.batch_size * built.place.num_clones)
    if built.inputs.rows is None:
        return _Watched(names, values, built.place.num_clones)
    return _Watched(names, values, None, [tf.add_n(list(built.inputs.rows))])


def _outputs(built: RunGraph) -> Outputs | None:
    request = built.request
    if request.output_fn is None:
        return None
    if not built.clones[0].spec.output_info:
        warn_line("`output_fn` of mox.run gets empty dicts: the mox.ModelSpec of model_fn has no `output_info`")
    return Outputs(request.output_fn, built.clones, every=request.output_every_n_steps)


def _summaries(built: RunGraph, watched: _Watched) -> SummaryWriter:
    request = built.request
    assert request.log_dir is not None
    make_log_dir(request.log_dir)
    return SummaryWriter(
        built.clones[0],
        optimizers=_step(built).summaries,
        names=watched.names,
        values=watched.values,
        log_dir=request.log_dir,
        every=request.save_summary_steps,
    )


def _many_steps(built: RunGraph, watched: _Watched, summaries: SummaryWriter | None) -> ManySteps | None:
    """Several steps in one call, where nobody looks at every one."""
    if not built.place.is_local or looks_at_every_step(built.hooks):
        return None
    merged = summaries.merged if summaries is not None else None
    return many_steps(_step(built).operation, [watched.tensors, [] if merged is None else [merged]])


def _step(built: RunGraph) -> TrainStep:
    assert built.step is not None, "the graph is that of a training"
    return built.step


def _nothing_left(built: RunGraph, step: int) -> None:
    assert built.source is not None
    own = built.source.own
    warn_line(
        f"nothing left to train: the checkpoint {built.source.prefix} has seen {step} steps, and max_number_of_steps is"
        f" {built.request.max_number_of_steps}; to go on, give a larger max_number_of_steps; to start over,"
        + (
            " give a new log_dir or delete the checkpoints in it"
            if own
            else " leave out global_step: checkpoint_exclude_patterns"
        )
    )
