"""Writes checkpoints: at the start, every so often, at the end."""

import os
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_sessions import START_ALL_AGAIN
from moxing.tensorflow.executor.lines import log_line
from moxing.tensorflow.executor.request import RunRequest
from runyard.errors import PeerLost, StorageError


def make_log_dir(path: str) -> None:
    """Makes sure that there is such a folder.

    Raises:
        StorageError: if there cannot be.
    """
    try:
        tf.gfile.MakeDirs(path)
    except tf.errors.OpError as error:
        raise StorageError(f"`log_dir` of mox.run cannot be made: {error.message}") from error
    if not tf.gfile.IsDirectory(path):
        raise StorageError(f"`log_dir` of mox.run is no folder: {path}")


class CheckpointWriter:
    """Writes `model.ckpt-N` into `log_dir`, and says so.

    Args:
        number: tells how many steps the job has done when this process has done so many.
    """

    def __init__(self, request: RunRequest, *, saver: Any, number: Callable[[Any, int], int]) -> None:
        assert request.log_dir is not None
        log_line("Create CheckpointSaverHook.")
        self._folder = request.log_dir
        self._path = os.path.join(request.log_dir, "model.ckpt")  # noqa: PTH118 - may be an address
        self._saver = saver
        self._number = number
        self._seconds = request.save_model_secs
        self._steps = request.save_model_steps
        self._last_step: int | None = None
        self._last_number: int | None = None
        self._graph: str | None = None
        self._last_time = time.monotonic()

    def begin(self, session: Any, step: int, *, there: bool) -> None:
        """The first checkpoint.

        Args:
            there: the one of this step is the one that the run has started from.
        """
        if there:
            self._last_step, self._last_number = step, self._number(session, step)
            # Those of the runs before count among the few that are kept.
            state = tf.train.get_checkpoint_state(self._folder)
            self._saver.recover_last_checkpoints([] if state is None else list(state.all_model_checkpoint_paths))
        else:
            self.save(session, step)

    def steps_left(self, step: int) -> int | None:
        """How many steps can be taken until one is due; None: that is a matter of time."""
        if not self._steps or self._last_step is None:
            return None
        return max(self._last_step + self._steps - step, 1)

    def save_if_due(self, session: Any, step: int) -> None:
        """Called after every session call, with the number of steps that the weights have seen."""
        by_time = self._seconds and time.monotonic() - self._last_time >= self._seconds
        by_steps = self._steps and step - (self._last_step or 0) >= self._steps
        if by_time or by_steps:
            self.save(session, step)

    def save(self, session: Any, step: int, *, anyway: bool = False) -> None:
        """Writes one, unless nobody has taken a step since the last one.

        Args:
            anyway: steps may have been taken that nobody has counted.
        """
        number = self._number(session, step)
        if number == self._last_number and not anyway:
            return
        log_line(f"Saving checkpoints for {number} into {self._path}.")
        try:
            self._saver.save(session, self._path, global_step=number, write_meta_graph=False)
            self._write_graph(session, f"{self._path}-{number}.meta")
        except (tf.errors.AbortedError, tf.errors.UnavailableError) as error:
            raise PeerLost(
                f"the checkpoint {self._path}-{number} cannot be written: a parameter server is gone",
                hint=START_ALL_AGAIN,
            ) from error
        except tf.errors.OpError as error:
            raise StorageError(
                f"the checkpoint {self._path}-{number} cannot be written: {error.message}",
                hint="is the disk full? the run goes on from the checkpoint before it, when it is started again",
            ) from error
        self._last_step, self._last_number, self._last_time = step, number, time.monotonic()

    def _write_graph(self, session: Any, path: str) -> None:
        """Beside each checkpoint, for `tf.train.import_meta_graph`. It is the same for all of a run."""
        if self._graph is not None and tf.gfile.Exists(self._graph):
            tf.gfile.Copy(self._graph, path, overwrite=True)
        else:
            with session.graph.as_default():
                self._saver.export_meta_graph(path)
        self._graph = path
