"""The session of a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.checkpoints import variables_to_load
from moxing.tensorflow.executor.graph import RunGraph


@dataclass(frozen=True)
class OpenSession:
    """A monitored session, and the one behind it."""

    monitored: Any
    keeper: "_Keeper"

    def raw(self) -> Any:
        """The session that hooks do not see."""
        return self.keeper.session


class _Keeper(tf.train.SessionRunHook):
    """Knows the session behind the monitored one; after a failure that is another one."""

    session: Any = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        del coord
        self.session = session


@contextmanager
def open_session(built: RunGraph, *, saver: Any = None) -> Iterator[OpenSession]:
    """A session with all variables set: from the checkpoint, where there is one.

    Args:
        saver: of all variables.
    """
    keeper = _Keeper()
    begin, restore = tf.global_variables_initializer(), _restoring(built, saver)

    def initialize(session: Any) -> None:
        session.run(begin)
        if restore is not None:
            restore(session)

    try:
        with built.place.open_session(initialize=initialize, saver=saver, hooks=[*built.hooks, keeper]) as monitored:
            try:
                yield OpenSession(monitored, keeper)
            except BaseException:
                built.place.abandon()
                raise
    finally:
        built.place.session_closed()


def _restoring(built: RunGraph, saver: Any) -> Any:
    source = built.source
    if source is None:
        return None
    variables = variables_to_load(
        source,
        model_variables=built.model_variables,
        flags=built.flags,
        training=built.request.is_training,
    )
    if not variables:
        return None
    if saver is None or len(variables) < len(tf.global_variables()):
        saver = tf.train.Saver(variables)
    return lambda session: saver.restore(session, source.prefix)
