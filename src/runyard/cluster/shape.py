"""How many members a cluster has, in words, and who wins where two say different numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """Those that train, and those that hold the variables for them."""

    workers: int
    ps: int = 0

    def __str__(self) -> str:
        workers = _counted(self.workers, "worker")
        return f"{workers} and {_counted(self.ps, 'parameter server')}" if self.ps else workers

    def overruled_by(self, found: "Shape", *, source: str) -> str | None:
        """What a person is told whose wishes come too late: the cluster is there already."""
        if self == found:
            return None
        asked = f"{self} and no parameter server" if found.ps and not self.ps else str(self)
        given = f"{found} and no parameter server" if self.ps and not found.ps else str(found)
        return f"asked for are {asked}, but {source} describes {given}, and wins; without it processes start here"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
