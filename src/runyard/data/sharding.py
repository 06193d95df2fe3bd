"""The part of a dataset that one worker reads: every row is in the part of exactly one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runyard.config.shard_policy import ShardPolicy
from runyard.data.files import CannotDivideFiles, files_of
from runyard.data.steps import is_pure_map, is_silent, map_in_parallel, rebuilt
from runyard.errors import ConfigError


def _keep_quiet(_: str) -> None:
    pass


@dataclass(frozen=True)
class Shard:
    """One of several parts, counted from 0."""

    index: int = 0
    count: int = 1

    def of(self, dataset: Any, *, policy: ShardPolicy, remark: Callable[[str], None] = _keep_quiet) -> Any:
        """The part of a dataset that is this one's, in the order of the whole.

        Steps at the end that change each element by itself come after the dividing, so that nobody does the work of
        others. All that is below is read by everyone: with the same seeds, shuffles are the same for all.

        Args:
            remark: told why files were not divided.
        """
        if self.count == 1 or policy is ShardPolicy.OFF:
            return dataset
        if policy is ShardPolicy.FILE:
            try:
                return files_of(dataset, count=self.count, index=self.index)
            except CannotDivideFiles as reason:
                remark(f"files cannot be divided: {reason}; rows are divided instead")
        steps: list[Any] = []
        below = dataset
        while is_silent(below) or is_pure_map(below):
            steps.append(below)
            below = below._input_dataset
        below = below.shard(self.count, self.index)
        for step in reversed(steps):
            below = map_in_parallel(below, like=step, threads=1) if is_pure_map(step) else rebuilt(below, steps=[step])
        return below


WHOLE = Shard()


def shard_policy(written: object, *, where: str) -> ShardPolicy:
    """Reads the key `shard_policy` of a dataset's arguments.

    Raises:
        ConfigError: if there is no such policy.
    """
    if (policy := ShardPolicy.named(written)) is not None:
        return policy
    raise ConfigError(
        f"{where}.shard_policy is {written!r}; it must be one of {', '.join(ShardPolicy)}",
        hint="AUTO divides element by element",
    )
