"""`mox.run`: one page that reads like the flow chart.

1. Check what was asked for (`request`), find out where this process runs (`place`).
2. In a graph of its own (`graph`): call `input_fn` and make one stream of batches per clone (`inputs`), call `model_fn`
   once per clone with shared variables (`clones`, `variable_sharing`), call `optimizer_fn` and average the clones'
   gradients (`updates`). With an inter mode, `input_fn` and `model_fn` are called for it too, on the same variables
   (`inter_mode`).
3. With `export_model`, the export graph is built and checked now, before hours of training (`exporting`).
4. Open a monitored session (`session`): a checkpoint is restored by the rules of `checkpoints`, hooks of the clones'
   `ModelSpec`s are registered (`hook_list`), each with a `RunView` that leads to the inter mode.
5. Step until `max_number_of_steps`, the end of the input, a hook's wish or a signal (`training_loop`, `reading_loop`,
   `stopping`): several steps in one session call where no hook, line or output needs the values in between
   (`many_steps`).
6. Save, export, done.
"""

from dataclasses import replace
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.told import data_errors_told
from moxing.tensorflow.executor.cluster import place_in_cluster
from moxing.tensorflow.executor.graph import build_graph
from moxing.tensorflow.executor.graph_errors import graph_errors_told
from moxing.tensorflow.executor.lines import lines_shown
from moxing.tensorflow.executor.paths import check_paths
from moxing.tensorflow.executor.place import find_place
from moxing.tensorflow.executor.reading import read
from moxing.tensorflow.executor.request import RunRequest, checked_request
from moxing.tensorflow.executor.stopping import stops_told
from moxing.tensorflow.executor.training import train
from moxing.tensorflow.utils.hyper_param_flags import mox_flags
from moxing.tensorflow.utils.log_cache import local_log_dir


def run(
    input_fn: Any = None,
    output_fn: Any = None,
    model_fn: Any = None,
    optimizer_fn: Any = None,
    run_mode: str = "invalid",
    inter_mode: str | None = None,
    batch_size: int | None = None,
    auto_batch: bool = True,
    log_dir: str | None = None,
    max_number_of_steps: int = 0,
    checkpoint_path: str | None = None,
    log_every_n_steps: int = 10,
    output_every_n_steps: int = 0,
    save_summary_steps: int = 100,
    save_model_secs: float | None = None,
    export_model: Any = False,
    fetch_strategy_fn: Any = None,
    save_model_steps: int | None = None,
) -> None:
    """Runs a training, an evaluation or a prediction.

    Args:
        input_fn: `input_fn(mode)` returns a tensor, or a list of tensors.
        output_fn: `output_fn(outputs)` gets the values of `output_info`: a dict for each step and device.
        model_fn: `model_fn(inputs, mode)` returns a `mox.ModelSpec`; `inputs` is a list.
        optimizer_fn: returns an optimizer; for several losses a list of such functions.
        run_mode: one of `mox.ModeKeys`: TRAIN, EVAL or PREDICT.
        inter_mode: a mode that hooks may run in between, such as EVAL within TRAIN.
        batch_size: of one device.
        auto_batch: `input_fn` returns single samples, which are put together to batches; unknown dimensions are
            filled up with zeros.
        log_dir: where checkpoints and summaries go; None: nowhere.
        max_number_of_steps: 0: until the input ends.
        checkpoint_path: a checkpoint, or a folder with some. A training that has checkpoints in `log_dir` goes on from
            them instead.
        log_every_n_steps: steps between two lines; 0: no lines.
        output_every_n_steps: how many steps a call of `output_fn` gets; 0: one call at the end gets all.
        save_summary_steps: steps between two summaries.
        save_model_secs: seconds between two checkpoints; 600 if nothing is said.
        export_model: `mox.ExportKeys.TF_SERVING` exports the model when the run is over.
        fetch_strategy_fn: has no meaning here.
        save_model_steps: steps between two checkpoints; `save_model_secs` wins, unless it is 0.

    Raises:
        WrongValue: a ValueError, for a request that makes no sense.
        NotCallable: a TypeError, for something that must be a function and is none.
        CannotRestore: a ValueError, if there is nothing to load from, or it does not fit.
        InterruptedRun: both a KeyboardInterrupt and a SystemExit, after Ctrl-C; a SystemExit alone after SIGTERM.
    """
    asked = dict(locals())
    with lines_shown(), stops_told():
        _perform(checked_request(**asked))


def _perform(request: RunRequest) -> None:
    place = place_in_cluster(find_place(mox_flags), flags=mox_flags, training=request.is_training)
    if place is None:
        return
    with local_log_dir(request.log_dir if request.is_training and place.is_chief else None) as local:
        here = request if local is None else replace(request, log_dir=local)
        if place.is_chief:
            check_paths(here)
        with tf.Graph().as_default(), data_errors_told(), graph_errors_told():
            built = build_graph(here, place=place, flags=mox_flags, export_dir=request.log_dir)
            checkpoint = train(built) if request.is_training else read(built)
        if built.export is not None and place.is_chief:
            built.export.write(checkpoint)
