"""What the chief of a run tells the other processes before anything is made."""

import json
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from runyard.checkpoint.record import RunRecord
from runyard.cluster import Place
from runyard.runner.membership import dismiss_others, join_others
from runyard.runner.plan import Plan

if TYPE_CHECKING:
    from runyard.training.division import Division
    from runyard.training.workers import Workers


@dataclass(frozen=True)
class RunTerms:
    """What a run draws or decides once, so that it is the same in all of its processes."""

    seed: int
    now: str
    shards: int
    replicas: int
    finished: bool = False

    @classmethod
    def of_record(cls, record: RunRecord) -> "RunTerms":
        return cls(record.seed, record.now, record.shards, record.replicas)

    @property
    def moment(self) -> datetime:
        """The one that `${DATE}$` speaks of."""
        return datetime.fromisoformat(self.now)

    @property
    def division(self) -> "Division":
        from runyard.training.division import Division

        return Division(self.shards, self.replicas)

    def tell(self, workers: "Workers") -> None:
        workers.broadcast(json.dumps(astuple(self)).encode())

    @classmethod
    def heard(cls, workers: "Workers") -> "RunTerms":
        return cls(*json.loads(workers.broadcast(b"")))


def tell_finished(plan: Plan, *, place: Place | None) -> None:
    """Sends the other processes home, where there are some: the run was finished before."""
    if place is not None:
        workers = join_others(place, plan=plan)
        from runyard.training.workers import wait_for_all

        RunTerms(0, plan.now.isoformat(), 1, 1, finished=True).tell(workers)
        wait_for_all(workers)
        dismiss_others(workers)
