"""An optimizer of workers that wait for each other, as old scripts ask for it."""

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.failures import WrongOptimizerArguments
from moxing.tensorflow.optimizer.wrapper import OptimizerWrapper


class SimpleSyncOptimizer(OptimizerWrapper):
    """With one worker, the optimizer inside. Several are kept in step by the run, not by an optimizer.

    Args:
        opt: the optimizer inside.
        num_workers: how many processes train.
        task_index: which of them this is.

    Raises:
        WrongOptimizerArguments: if there are several workers.
    """

    def __init__(self, opt: tf.train.Optimizer, num_workers: int = 1, task_index: int = 0) -> None:
        super().__init__(opt, name="SimpleSync")
        if num_workers > 1:
            raise WrongOptimizerArguments(
                f"SimpleSyncOptimizer with num_workers={num_workers} (this is worker {task_index}): optimizers do not"
                " keep workers in step here",
                hint="give mox.run the optimizer inside it, and start the workers with --sync_replicas=True and without"
                " --chief_inc_global_step",
            )
