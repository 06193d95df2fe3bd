"""The share that each of several shards of one process has of the metrics that the process counts for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runyard.training.metric_board import MetricBoard


@dataclass(frozen=True)
class RowsApart:
    """What every shard but the first has in a checkpoint: nothing, for the first has all that was counted.

    When a checkpoint is read, each may have something: what another process has counted before.
    """

    board: MetricBoard

    def tensors(self) -> Mapping[str, Any]:
        return self.board.nothing()

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.board.add(tensors)
