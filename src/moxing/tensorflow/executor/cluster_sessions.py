"""How workers open their sessions, and whether one may be opened again."""

import time
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.lines import log_line
from runyard.errors import PeerLost

START_ALL_AGAIN = "start all processes again: they go on from the newest checkpoint (runyard run --workers does so)"
_LOOK_AGAIN = 0.2
_FIRST_WORD, _NEXT_WORD = 10.0, 60.0


class OpenedOnce(tf.train.SessionCreator):
    """Refuses to open a second session.

    TensorFlow wants one when a parameter server was out of reach. One that was started anew has lost its variables, and
    how far the step had come is not known: the steps would go on with weights that are not theirs.
    """

    def __init__(self, creator: Any) -> None:
        self._creator = creator
        self._is_opened = False

    def create_session(self) -> Any:
        """Opens it.

        Raises:
            PeerLost: the second time.
        """
        if self._is_opened:
            raise PeerLost("a parameter server was lost, and the variables that it kept", hint=START_ALL_AGAIN)
        session = self._creator.create_session()
        self._is_opened = True
        return session


class Joining(tf.train.SessionCreator):
    """Waits until the chief has set all variables: until then they may have any value.

    Args:
        ready: whether it has.
    """

    def __init__(self, scaffold: Any, *, target: str, config: Any, ready: Any) -> None:
        self._scaffold = scaffold
        self._target = target
        self._config = config
        self._ready = ready

    def create_session(self) -> Any:
        self._scaffold.finalize()
        next_word = time.monotonic() + _FIRST_WORD
        while True:
            session = tf.Session(self._target, config=self._config)
            try:
                while not session.run(self._ready):
                    if time.monotonic() > next_word:
                        next_word += _NEXT_WORD
                        log_line("waiting for the first worker, which sets the variables")
                    time.sleep(_LOOK_AGAIN)
                session.run(self._scaffold.local_init_op)
            except (tf.errors.AbortedError, tf.errors.UnavailableError):
                session.close()
                time.sleep(_LOOK_AGAIN)
            else:
                return session
