"""How many steps a session call may take."""

_SECONDS_OF_A_CALL = 0.25
_AT_FIRST = 8
_AT_MOST = 1000


class Pace:
    """Keeps calls short enough for Ctrl-C, the progress bar and checkpoints by time."""

    def __init__(self) -> None:
        self._limit = _AT_FIRST
        self._calls = 0

    @property
    def limit(self) -> int:
        return self._limit

    def learn(self, *, steps: int, seconds: float) -> None:
        """Looks at a call. The first ones say little: TensorFlow is getting ready."""
        self._calls += 1
        if self._calls > 2 and seconds > 0:
            wanted = int(_SECONDS_OF_A_CALL * steps / seconds)
            self._limit = max(1, min(wanted, 2 * self._limit, _AT_MOST))
