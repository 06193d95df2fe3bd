"""What must happen in a process before a job's script is loaded: environment, Keras, threads."""

import os

from runyard.runner.plan import Plan
from runyard.script import Task
from runyard.telemetry import note


def start(plan: Plan) -> None:
    """Sets the job's environment and imports TensorFlow with the Keras that the job wants.

    What an earlier task of the process has set for all layers is taken back; a training sets it again.
    """
    os.environ.update(plan.job.envs)
    from runyard.bridge import set_precision, start_tensorflow

    start_tensorflow(plan.job.keras, verbose=_is_verbose(plan))
    set_precision(half=False)


def _is_verbose(plan: Plan) -> bool:
    """Whether a task that is to be done asks for TensorFlow's own log."""
    detail = plan.job.job_detail
    sections = {Task.TRAIN: detail.train_args, Task.EVALUATE: detail.eval_args}
    return any(args.verbose for task, args in sections.items() if task in plan.tasks and args is not None)


def configure_tensorflow(*, intra_op: int, inter_op: int, verbose: bool) -> None:
    """Threads and TensorFlow's own log. A second job of the process keeps the first one's threads."""
    import tensorflow as tf

    try:
        tf.config.threading.set_intra_op_parallelism_threads(intra_op)
        tf.config.threading.set_inter_op_parallelism_threads(inter_op)
    except RuntimeError:
        if intra_op or inter_op:
            note("TensorFlow is already running: inter_op_paral and intra_op_paral have no effect in this process")
    tf.get_logger().setLevel("INFO" if verbose else "ERROR")
