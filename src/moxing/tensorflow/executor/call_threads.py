"""Which threads the operations of a session call run in."""

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

_WARM_UP = 2
_TRIALS = 4
_SMALL_STEP = 0.01
_IN_A_POOL, _IN_ONE = tf.RunOptions(), tf.RunOptions(inter_op_thread_pool=-1)


class CallThreads:
    """Finds out whether operations are better handed to a pool of threads, or run in one of them.

    Small steps lose more by the handing over than they gain by operations side by side, and most of all on a machine
    that is busy. Both ways are tried in turns, and the faster one stays; steps that take long are not tried with.
    """

    def __init__(self) -> None:
        self._calls = 0
        self._fastest = [float("inf"), float("inf")]
        self._in_one = False

    @property
    def options(self) -> tf.RunOptions:
        """For the next call."""
        return _IN_ONE if self._in_one else _IN_A_POOL

    def learn(self, *, steps: int, seconds: float) -> None:
        """Looks at a call. The first ones say little: TensorFlow is getting ready."""
        self._calls += 1
        tried = self._calls - _WARM_UP
        if tried <= 0 or tried > 2 * _TRIALS:
            return
        self._fastest[self._in_one] = min(self._fastest[self._in_one], seconds / steps)
        if self._fastest[False] > _SMALL_STEP:
            self._in_one = False
        elif tried < 2 * _TRIALS:
            self._in_one = not self._in_one
        else:
            self._in_one = self._fastest[True] < self._fastest[False]
