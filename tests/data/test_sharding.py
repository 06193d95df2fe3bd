"""Which elements of a dataset each worker reads."""

from typing import Any

import pytest
import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.sharding import WHOLE, Shard, ShardPolicy, shard_policy
from runyard.errors import ConfigError


def read(dataset: Any) -> list[Any]:
    return [element.tolist() for element in dataset.as_numpy_iterator()]


def parts(dataset: Any, *, count: int, policy: ShardPolicy = ShardPolicy.AUTO) -> list[list[Any]]:
    return [read(Shard(index, count).of(dataset, policy=policy)) for index in range(count)]


def test_every_element_is_in_one_part_and_parts_take_turns() -> None:
    assert parts(tf.data.Dataset.range(7), count=3) == [[0, 3, 6], [1, 4], [2, 5]]


def test_batches_stay_whole() -> None:
    assert parts(tf.data.Dataset.range(7).batch(2), count=2) == [[[0, 1], [4, 5]], [[2, 3], [6]]]


def test_a_worker_maps_its_own_elements_only() -> None:
    mapped = tf.data.Dataset.range(6).map(lambda number: number * 10).prefetch(1)
    assert parts(mapped, count=2) == [[0, 20, 40], [10, 30, 50]]
    kinds, dataset = [], Shard(0, 2).of(mapped, policy=ShardPolicy.DATA)
    while dataset is not None:
        kinds.append(type(dataset).__name__)
        dataset = next(iter(dataset._inputs()), None)
    assert [kind.strip("_") for kind in kinds] == [
        "PrefetchDataset",
        "ParallelMapDataset",
        "ShardDataset",
        "RangeDataset",
    ]


def test_the_part_of_a_map_that_is_not_vectorised_becomes_batches() -> None:
    mapped = tf.data.Dataset.range(6).map(lambda number: tf.cast(number, tf.float32) * 1.5)
    part = Shard(1, 2).of(mapped, policy=ShardPolicy.AUTO)
    batches = prepare(part, batch_size=2, already_batched=False, config=Input(vectorize=False)).dataset
    assert read(batches) == [[1.5, 4.5], [7.5]]


def test_a_worker_maps_the_rows_of_its_own_batches_only() -> None:
    rows = tf.data.Dataset.range(10).map(lambda number: tf.cast(number, tf.float32) * 1.5).shuffle(4, seed=1).batch(2)
    part = Shard(1, 2).of(rows.prefetch(1), policy=ShardPolicy.DATA)
    plain, fast = (
        prepare(part, batch_size=0, already_batched=True, config=Input(vectorize=vectorize)).dataset
        for vectorize in (False, True)
    )
    assert read(fast) == read(plain) != []
    kinds: list[str] = []
    while fast is not None:
        kinds.append(type(fast).__name__.strip("_"))
        fast = next(iter(fast._inputs()), None)
    assert kinds.index("ParallelMapDataset") < kinds.index("ShardDataset") < kinds.index("BatchDataset")


def test_a_map_with_state_sees_all_elements() -> None:
    count = tf.Variable(tf.constant(0, tf.int64))
    counted = tf.data.Dataset.range(6).map(lambda number: number + 100 * count.assign_add(1))
    assert [number % 100 for number in read(Shard(1, 2).of(counted, policy=ShardPolicy.AUTO))] == [1, 3, 5]
    assert int(count) == 6


def test_shuffles_with_one_seed_are_divided_without_overlap() -> None:
    def shuffled() -> Any:
        tf.random.set_seed(7)
        return tf.data.Dataset.range(20).shuffle(20)

    found = [read(Shard(index, 2).of(shuffled(), policy=ShardPolicy.AUTO)) for index in (0, 1)]
    assert sorted([*found[0], *found[1]]) == list(range(20))
    assert found[0] != sorted(found[0])


def test_off_and_a_single_worker_leave_the_dataset_alone() -> None:
    dataset = tf.data.Dataset.range(4)
    assert WHOLE.of(dataset, policy=ShardPolicy.AUTO) is dataset
    assert Shard(1, 2).of(dataset, policy=ShardPolicy.OFF) is dataset


def test_a_policy_that_does_not_exist_is_refused_with_those_that_do() -> None:
    assert shard_policy("data", where="train_data_args") is ShardPolicy.DATA
    with pytest.raises(ConfigError, match=r"train_data_args\.shard_policy is 'ROWS'; it must be one of AUTO, DATA"):
        shard_policy("ROWS", where="train_data_args")
