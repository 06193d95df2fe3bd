"""The inter mode: a second mode on the same variables, run now and then within the first."""

from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue


class InterMode:
    """The inter mode of a run.

    Args:
        restart: starts its data anew; None where that cannot be done.
        hooks: called around its session runs only, such as one that feeds placeholders.
    """

    def __init__(self, mode: str, *, restart: Any, hooks: Sequence[Any] = ()) -> None:
        self.mode = mode
        self._restart = restart
        self._hooks = list(hooks)

    def run(self, session: Any, fetches: Any, *, batches: int) -> Iterator[Any]:
        """Yields the values of some of its tensors, batch by batch.

        Data that end are started anew with the next call; a call gets fewer batches then, but at least one.

        Args:
            session: as hooks get it in `run_context.session`.

        Raises:
            WrongValue: if there are no data at all.
        """
        for number in range(batches):
            try:
                values = self._run(session, fetches)
            except tf.errors.OutOfRangeError:
                if self._restart is not None:
                    session.run(self._restart)
                if number:
                    return
                values = self._run_again(session, fetches)
            yield values

    def _run_again(self, session: Any, fetches: Any) -> Any:
        try:
            return self._run(session, fetches)
        except tf.errors.OutOfRangeError:
            raise WrongValue(
                f"input_fn has no data for mode {self.mode}, the inter mode",
                hint="the data may have been read before and cannot start anew: let them repeat",
            ) from None

    def _run(self, session: Any, fetches: Any) -> Any:
        if not self._hooks:
            return session.run(fetches)
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(fetches), session)
        asked = {hook: hook.before_run(context) or tf.train.SessionRunArgs(None) for hook in self._hooks}
        feeds = {key: value for args in asked.values() for key, value in (args.feed_dict or {}).items()}
        wanted = {hook: args.fetches for hook, args in asked.items() if args.fetches is not None}
        values, seen = session.run([fetches, wanted], feeds)
        for hook in self._hooks:
            hook.after_run(context, tf.train.SessionRunValues(seen.get(hook), None, None))
        return values
