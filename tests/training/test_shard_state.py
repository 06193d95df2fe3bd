"""The state of shards: written by one number of processes, read by another."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import keras_module
from runyard.checkpoint.state import Snapshot, restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes
from runyard.data.sharding import ShardPolicy
from runyard.errors import CheckpointError
from runyard.training.division import Division
from runyard.training.randomness import Purpose, seed_for
from runyard.training.shard_state import SHARDS_PART, mine_of, refuse_other_division
from runyard.training.workers import ALONE, Workers
from tests.training.test_division import OneOf
from tests.training.trainings import COLUMNS, Training, X, Y, rows, training_of
from tests.training.worker_cases import USERS

DIVISION = Division(shards=2)
STEPS, BATCH = 2, 3
METRICS = ["acc", {"type": "GAUC", "args": {"user_id_index": 1}}]


NEXT = [X[12:15], X[15:18]]
"""The rows that each shard gives next."""


def data(workers: Workers) -> list[Any]:
    """The shards of a process. Of each, some batches are left after two."""
    whole = rows((X, USERS), Y, batch=BATCH)
    return [shard.of(whole, policy=ShardPolicy.DATA) for shard in DIVISION.owned_by(workers)]


def model(seed: int) -> Any:
    """One with random states and moving statistics, which does not heed its second input."""
    seed_for(seed, purpose=Purpose.MODEL)
    layers = keras_module(3).layers
    inputs, users = layers.Input((COLUMNS,)), layers.Input((), dtype="int64")
    hidden = layers.Dropout(0.5)(layers.BatchNormalization()(inputs))
    return keras_module(3).Model([inputs, users], layers.Dense(1, activation="sigmoid")(hidden))


def training(workers: Workers, *, seed: int = 3) -> Training:
    """Workers here do not hear of each other."""
    return training_of(
        model(seed),
        data(workers),
        workers=workers,
        division=DIVISION,
        metrics=METRICS,
    )


def counted(found: Training) -> float:
    """How many rows the metrics of a process have seen."""
    return float(found.engine.board.tensors()["acc/001"])


def next_rows(position: Any) -> Any:
    return position.iterator.get_next()[0][0].numpy()


def after_steps(workers: Workers) -> Training:
    found = training(workers)
    positions = [own["data"] for own in own_parts(found).values()]
    iterators = tuple(position.iterator for position in positions)
    assert found.engine.run(iterators, at_most=STEPS).steps == STEPS
    for position in positions:
        position.advance(STEPS)
    return found


def own_parts(found: Training) -> Mapping[int, Mapping[str, Any]]:
    """What each shard of the process has of its own."""
    states: Any = found.fit.parts()[SHARDS_PART]
    return states.own


def test_what_one_process_wrote_two_can_read() -> None:
    alone = after_steps(ALONE)
    snapshot = take_snapshot(alone.fit.parts())
    chief, other = [training(OneOf(index, 2), seed=9) for index in (0, 1)]
    for index, found in enumerate((chief, other)):
        restore_snapshot(mine_of(snapshot, index=index), found.fit.parts())
        np.testing.assert_array_equal(next_rows(found.fit.parts()["data"]), NEXT[index])
        for one, same in zip(found.model.trainable_variables, alone.model.trainable_variables, strict=True):
            np.testing.assert_array_equal(one, same)
    assert (counted(chief), counted(other)) == (12.0, 0.0)
    assert chief.engine.board.results() == alone.engine.board.results()
    for index, found in enumerate((chief, other)):
        assert_kept(found.engine.own.parts(0)["model"].tensors(), saved=own_parts(alone)[index])


def test_what_two_processes_wrote_one_can_read() -> None:
    chief, other = [after_steps(OneOf(index, 2)) for index in (0, 1)]
    mine = take_snapshot(chief.fit.parts())
    sent = tf.constant(as_bytes(take_snapshot(own_parts(other)[1])))
    alone = training(ALONE, seed=9)
    restore_snapshot(Snapshot({**mine.tensors, f"{SHARDS_PART}/00001": sent}, mine.values), alone.fit.parts())
    assert (counted(chief), counted(other), counted(alone)) == (6.0, 6.0, 12.0)
    for index, found in enumerate((chief, other)):
        np.testing.assert_array_equal(next_rows(own_parts(alone)[index]["data"]), NEXT[index])
        assert_kept(alone.engine.own.parts(index)["model"].tensors(), saved=own_parts(found)[index])


def assert_kept(found: Mapping[str, Any], *, saved: Mapping[str, Any]) -> None:
    """The moving statistics of BatchNormalization, and the state of Dropout."""
    names = [name for name in found if "moving" in name or name == "random/00000"]
    assert len(names) == 3
    for name in names:
        np.testing.assert_array_equal(found[name], saved["model"].tensors()[name], err_msg=name)


def test_a_checkpoint_of_another_division_is_refused() -> None:
    refuse_other_division({SHARDS_PART: {"size": 2}}, division=DIVISION, where="here")
    refuse_other_division({}, division=Division(), where="here")
    with pytest.raises(CheckpointError, match="began with 3 workers, this one with 2 workers"):
        refuse_other_division({SHARDS_PART: {"size": 3}}, division=DIVISION, where="here")
