"""What came out of a training: for the command line, and for the run record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runyard.checkpoint.record import RunRecord

if TYPE_CHECKING:
    from runyard.training.run_state import Outcome


@dataclass(frozen=True)
class TrainResult:
    """What came out of a training."""

    reason: str
    epochs: int = 0
    step: int = 0
    results: Mapping[str, Any] = field(default_factory=dict[str, Any])
    models: tuple[str, ...] = ()
    told: bool = False
    """Whether it has been shown already."""

    @classmethod
    def of_record(cls, record: RunRecord) -> "TrainResult":
        """What came out of a run that is finished."""
        result = record.result or {}
        return cls(
            result["reason"], result["epochs"], result["step"], result["results"], models=tuple(result["models"])
        )


def finished(record: RunRecord, *, outcome: "Outcome", models: Sequence[str]) -> RunRecord:
    """The record of a run, with what came out of it."""
    return record.with_result(
        {
            "reason": outcome.reason,
            "epochs": outcome.epochs,
            "step": outcome.step,
            "stopped_early": outcome.stopped_early,
            "results": dict(outcome.results),
            "models": list(models),
        }
    )
