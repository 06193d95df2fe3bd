"""How the rows of a step are divided. It is fixed when a run begins, whoever computes the parts later.

A run that began with four workers has four shards of its data, each of them read by one worker. If it goes on with
three workers, one of them reads two shards; the rows of a step, and so the result, stay the same.
"""

from dataclasses import dataclass

from runyard.data.sharding import Shard
from runyard.training.workers import Workers


@dataclass(frozen=True)
class Division:
    """The parts of a step.

    Args:
        shards: of the data: one for each worker that the run began with.
        replicas: of the model: parts into which a batch of a shard is divided, one for each device that a worker had
            when the run began.
    """

    shards: int = 1
    replicas: int = 1

    @property
    def parts(self) -> int:
        """Into how many batches for one replica the rows of a step are divided."""
        return self.shards * self.replicas

    def owned_by(self, workers: Workers) -> list[Shard]:
        """The shards that this process reads; the first of them has the number of the process."""
        return [Shard(index, self.shards) for index in range(workers.index, self.shards, workers.size)]


UNDIVIDED = Division()
