"""What the command line says about a training beyond the job."""

from dataclasses import dataclass, field

from runyard.cluster import MemberFlags


@dataclass(frozen=True)
class TrainOptions:
    """What the command line says beyond the job."""

    fresh: bool = False
    max_steps: int | None = None
    overfit_batches: int | None = None
    fast_dev_run: bool = False
    flags: MemberFlags = field(default_factory=MemberFlags)
    """By which a platform says which member of a cluster this process is."""

    @property
    def limited_data(self) -> bool:
        """Whether only a few batches are used, so that metrics mean little."""
        return self.fast_dev_run or self.overfit_batches is not None
