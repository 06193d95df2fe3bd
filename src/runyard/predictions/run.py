"""The loop of a prediction: calls of many batches, written while the next is computed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from runyard.data.batches import explained
from runyard.data.position import DataPosition
from runyard.errors import DataError
from runyard.predictions.forward import Call, ForwardPass
from runyard.predictions.progress import position_of
from runyard.predictions.writing import BackgroundWriting
from runyard.training.pace import Pace

_WORK_PER_COMMIT = 20


@dataclass
class PredictionRun:
    """Reads the data to their end.

    Args:
        batch_size: about how many rows a batch has.
        rows: how many are done already.
        commit_seconds: between two records of how far it is.
    """

    forward: ForwardPass
    data: DataPosition
    batch_size: int
    rows: int = 0
    commit_seconds: float = 2.0
    _pace: Pace = field(default_factory=Pace)

    def first(self) -> Call:
        """The first call that brings rows, or the end, before anything is written: what does not fit shows here."""
        call = self._call()
        while not call.rows and not call.ended:
            call = self._call()
        return call

    def rest(
        self, call: Call, *, writing: BackgroundWriting, stop: Callable[[], bool], tell: Callable[[int, int], None]
    ) -> bool:
        """Writes what the first call brought, and all that follows.

        Args:
            stop: asked between calls; ends the loop when all so far is kept.
            tell: told the rows and the batches that are done.

        Returns:
            Whether the data came to their end.
        """
        next_commit = time.monotonic() + self.commit_seconds
        while True:
            self.rows += call.rows
            stopped = stop() and not call.ended
            position = None
            if stopped or (not call.ended and time.monotonic() >= next_commit):
                started = time.monotonic()
                position = position_of(self.data)
                # A position may be large, such as that of a shuffle; then it is taken less often.
                taken = time.monotonic() - started
                next_commit = started + max(self.commit_seconds, _WORK_PER_COMMIT * taken)
            writing.put(call, position=position)
            tell(self.rows, self.data.batches)
            if call.ended or stopped:
                return call.ended
            call = self._call()

    def _call(self) -> Call:
        most = self.forward.most_batches(self.batch_size)
        started = time.perf_counter()
        with explained(f"predicting after row {self.rows}"):
            call = self.forward(self.data.iterator, at_most=min(self._pace.steps, most))
        self._pace.learn(steps=call.batches, seconds=time.perf_counter() - started)
        # A callback that makes batches itself may make larger ones than it was asked for.
        self.batch_size = max(self.batch_size, call.rows // max(call.batches, 1))
        self.data.advance(call.batches)
        return call


def refuse_nothing(call: Call) -> None:
    """There must be something to predict.

    Raises:
        DataError: if the dataset is empty.
    """
    if call.ended and not call.rows:
        raise DataError(
            "there is nothing to predict: the dataset is empty",
            hint="look at file names, filters and whether a batch with drop_remainder swallows it all",
        )
