"""EVAL and PREDICT: from a graph to numbers."""

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.graph import RunGraph
from moxing.tensorflow.executor.lines import log_line, warn_line
from moxing.tensorflow.executor.log_values import LogInfo, log_info
from moxing.tensorflow.executor.outputs import Outputs
from moxing.tensorflow.executor.progress import Progress
from moxing.tensorflow.executor.reading_loop import ReadingLoop
from moxing.tensorflow.executor.session import open_session
from moxing.tensorflow.executor.stopping import stop_signals


def read(built: RunGraph) -> str:
    """Runs the model over the input, and returns the checkpoint that it was loaded from."""
    request, place = built.request, built.place
    assert built.source is not None
    info = log_info(built.clones, first_only=built.flags.log_first_clone)
    _check_numbers(info, mode=request.run_mode)
    outputs = None
    if request.output_fn is not None:
        outputs = Outputs(request.output_fn, built.clones, every=request.output_every_n_steps)
    limit = request.max_number_of_steps or None
    work = tf.group([_wanted(clone) for clone in built.clones])
    with (
        open_session(built) as session,
        stop_signals(place) as signals,
        Progress(
            request.run_mode, first=0, limit=limit, rows_per_step=(request.batch_size or 0) * place.num_clones
        ) as progress,
    ):
        means = ReadingLoop(
            session=session.monitored,
            mode=request.run_mode,
            info=info,
            rows=built.inputs.rows,
            work=work,
            view=built.view,
            outputs=outputs,
            log_every=request.log_every_n_steps,
            limit=limit,
            progress=progress,
            signals=signals,
        ).run()
    log_line(str(means))
    if place.num_clones > 1 and built.flags.log_first_clone and info.names:
        warn_line(
            f"these numbers are of the first of {place.num_clones} devices; --log_first_clone=False counts all of them"
        )
    return built.source.prefix


def _wanted(clone: Clone) -> list[object]:
    """What a clone computes in every step, whoever looks at it."""
    spec = clone.spec
    if not spec.log_info:
        return list(spec.output_info.values())
    return [tf.convert_to_tensor(value) for value in spec.log_info.values()]


def _check_numbers(info: LogInfo, *, mode: str) -> None:
    for name, value in zip(info.names, info.of_clones[0], strict=True):
        if not (value.dtype.is_floating or value.dtype.is_integer or value.dtype.is_bool):
            raise WrongValue(
                f"`log_info[{name!r}]` of mox.ModelSpec is of type {value.dtype.name}; mode {mode} makes means of"
                " numbers",
                hint=f"leave it out when model_fn is called with mode {mode}",
            )
