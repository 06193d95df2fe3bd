"""Synchronous training of TensorFlow 1 ends at once, for every worker: nobody waits for one that has left."""

import contextlib
import importlib
import threading
from typing import Any


def mend_sync_replicas() -> None:
    """Gives the hook of `SyncReplicasOptimizer` an end.

    - Workers take tokens from one queue, and a fast one may take the share of a slow one. When the fast one has reached
      the last step and is gone, the slow one would wait for a token for ever. So a worker that ends closes the queue:
      the others hear that the work is done, as from an input that has ended. Where there are backup workers, the others
      can go on without one.
    - A thread of the chief waits for gradients that nobody sends any more. The chief would wait for that thread for two
      minutes; here it does not, and the thread ends with the session.
    """
    module: Any = importlib.import_module("tensorflow.python.training.sync_replicas_optimizer")
    plain = module._SyncReplicasOptimizerHook
    if hasattr(plain, "runyard_mended"):
        return
    errors: Any = importlib.import_module("tensorflow").errors

    class EndingHook(plain):
        """The same, with an end."""

        runyard_mended = True

        def begin(self) -> None:
            super().begin()
            optimizer = self._sync_optimizer
            needs_all = optimizer._replicas_to_aggregate >= optimizer._total_num_replicas
            self._close_queue = optimizer._sync_token_queue.close() if needs_all else None
            self._updates = self._q_runner.enqueue_ops if self._q_runner is not None else ()
            self._q_runner = None

        def after_create_session(self, session: Any, coord: Any) -> None:
            super().after_create_session(session, coord)
            self._ended = threading.Event()
            for update in self._updates:
                threading.Thread(target=self._repeat, args=(session, coord, update, self._ended), daemon=True).start()

        def end(self, session: Any) -> None:
            self._ended.set()
            if self._close_queue is not None:
                with contextlib.suppress(errors.CancelledError, errors.UnavailableError, errors.AbortedError):
                    session.run(self._close_queue)

        def _repeat(self, session: Any, coord: Any, update: Any, ended: threading.Event) -> None:
            """What a queue runner does; but once the hook has ended, nothing that happens matters."""
            while not ended.is_set() and not coord.should_stop():
                try:
                    session.run(update)
                except Exception as error:
                    if not ended.is_set() and not coord.should_stop():
                        is_end = isinstance(error, (errors.OutOfRangeError, errors.CancelledError))
                        coord.request_stop(None if is_end else error)
                    return

    module._SyncReplicasOptimizerHook = EndingHook
