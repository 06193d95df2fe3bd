"""What workers agree on between two calls, so that all make the same calls and end together."""

import signal
from dataclasses import dataclass

from runyard.training.workers import Workers, is_chief


@dataclass(frozen=True)
class Agreement:
    """What one worker knows and wants; after `agree`, what holds for all.

    Args:
        signal: one that was received.
        stop_reason: why an observer wants the training to end.
        save: whether a checkpoint is due. The chief's clock counts.
        steps: of the next call. The chief's pace counts, and where its observers want a call to end.
    """

    signal: signal.Signals | None
    stop_reason: str | None
    save: bool
    steps: int


def agree(mine: Agreement, *, workers: Workers) -> Agreement:
    """One small exchange: a signal or a stop of any worker is one for all, the rest is as the chief says."""
    if workers.size == 1:
        return mine
    chief = is_chief(workers)
    interrupts, ends, stops, save, steps = workers.totals(
        [
            mine.signal is signal.SIGINT,
            mine.signal is signal.SIGTERM,
            mine.stop_reason is not None,
            chief and mine.save,
            mine.steps if chief else 0,
        ]
    )
    reason = mine.stop_reason
    if stops:
        reasons = workers.gather((mine.stop_reason or "").encode())
        reason = next(data.decode() for data in reasons if data)
    received = signal.SIGINT if interrupts else signal.SIGTERM if ends else None
    return Agreement(received, reason, bool(save), int(steps))
