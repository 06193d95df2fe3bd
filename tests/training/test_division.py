"""Which process reads which shards."""

from dataclasses import dataclass
from typing import Any

import pytest

from runyard.training.division import Division
from runyard.training.workers import ALONE, Alone


@dataclass(frozen=True)
class OneOf(Alone):
    index: Any = 0
    size: Any = 1


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 5])
def test_every_shard_is_read_by_one_process_and_each_begins_with_its_own(processes: int) -> None:
    owned = [Division(shards=5).owned_by(OneOf(index, processes)) for index in range(processes)]
    assert sorted(shard.index for shards in owned for shard in shards) == [0, 1, 2, 3, 4]
    assert [shards[0].index for shards in owned] == list(range(processes))
    assert max(map(len, owned)) - min(map(len, owned)) <= 1
    assert all(shard.count == 5 for shards in owned for shard in shards)


def test_a_step_has_a_batch_for_each_replica_of_each_shard() -> None:
    assert Division(shards=3, replicas=2).parts == 6
    assert len(Division(shards=3, replicas=2).owned_by(ALONE)) == 3
