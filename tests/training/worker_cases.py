"""Trainings that one process and two workers run alike; also the program of such a worker.

`python -m tests.training.worker_cases FOLDER` runs all of them as the worker that TF_CONFIG names.
"""

import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    from runyard.bridge import start_tensorflow

    start_tensorflow(2)

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.data.batch_rows import put_together
from runyard.data.sharding import ShardPolicy
from runyard.training.devices import Spread
from runyard.training.division import Division
from runyard.training.randomness import Purpose, seed_for
from runyard.training.run_state import Outcome
from runyard.training.workers import ALONE, Workers
from tests.training.trainings import (
    COLUMNS,
    ROWS,
    TARGET,
    WEIGHTS,
    Training,
    X,
    Y,
    rows,
    small_model,
    training_of,
    weights_of,
)

BATCH = 4
USERS = np.arange(ROWS, dtype=np.int64) % 3
WORDS = (np.arange(ROWS, dtype=np.int64) * 7) % 11


def _two_outputs(keras: KerasVersion) -> Any:
    seed_for(3, purpose=Purpose.MODEL)
    layers = keras_module(keras).layers
    inputs = layers.Input((COLUMNS,))
    hidden = layers.Dense(3, activation="tanh")(inputs)
    outputs = [layers.Dense(1, activation="sigmoid", name="a")(hidden), layers.Dense(1, name="b")(hidden)]
    return keras_module(keras).Model(inputs, outputs)


def _embedding(keras: KerasVersion) -> Any:
    seed_for(3, purpose=Purpose.MODEL)
    layers = keras_module(keras).layers
    inputs = layers.Input((), dtype="int64")
    hidden = layers.Embedding(13, 3)(inputs)
    return keras_module(keras).Model(inputs, layers.Dense(1, activation="sigmoid")(hidden))


def _with_users(keras: KerasVersion) -> Any:
    seed_for(3, purpose=Purpose.MODEL)
    layers = keras_module(keras).layers
    inputs, users = layers.Input((COLUMNS,)), layers.Input((), dtype="int64")
    return keras_module(keras).Model([inputs, users], layers.Dense(1, activation="sigmoid")(inputs))


def _both_groups(model: Any) -> Any:
    return model.trainable_variables[:2], model.trainable_variables[2:]


def _restless(keras: KerasVersion) -> Any:
    return small_model(keras, dropout=0.4)


@dataclass(frozen=True)
class Case:
    """What is trained on which data, and how."""

    data: tuple[Any, ...] = (X, Y)
    model: Callable[[KerasVersion], Any] = small_model
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    rows: int = ROWS

    def run(
        self,
        keras: KerasVersion,
        *,
        workers: Workers = ALONE,
        division: Division | None = None,
        scale: int = 1,
        position: Callable[[Any], Any] | None = None,
    ) -> dict[str, Any]:
        """Trains; the weights, the results, and the random states, by name.

        Args:
            scale: how many batches of a replica are one of this process.
            position: what the batches are read from, if not from the dataset itself.
        """
        outcome, training = self.training(keras, workers=workers, division=division, scale=scale, position=position)
        weights = {f"weight {place}": value for place, value in enumerate(weights_of(training.model))}
        random = {name: each.numpy() for name, each in training.engine.parts()["model"].variables.items()}  # type: ignore[attr-defined]
        states = {name: value for name, value in random.items() if name.startswith("random")}
        numbers = {f"result {name}": np.asarray(value) for name, value in outcome.results.items()}
        return {**weights, **states, **numbers, "step": np.asarray(outcome.step)}

    def training(
        self,
        keras: KerasVersion,
        *,
        workers: Workers,
        division: Division | None,
        scale: int,
        position: Callable[[Any], Any] | None,
    ) -> tuple[Outcome, Training]:
        """How it ended, and what has trained."""
        division = division or Division(shards=workers.size)
        shards = division.owned_by(workers)
        columns = tf.nest.map_structure(lambda column: column[: self.rows], self.data)
        dataset = rows(*columns, batch=BATCH * scale * division.replicas)
        options = dict(self.options)
        if "validation" in options:
            parts = [shard.of(rows(X, Y, WEIGHTS, batch=3), policy=ShardPolicy.AUTO) for shard in shards]
            options["validation"] = functools.reduce(lambda one, other: one.concatenate(other), parts)
        mine = [shard.of(dataset, policy=ShardPolicy.AUTO) for shard in shards]
        data = position(mine[0]) if position else None
        training = training_of(self.model(keras), mine, workers=workers, division=division, data=data, **options)
        return training(), training


SAME = {
    "sgd": Case(options={"optimizer": {"type": "sgd", "args": {"learning_rate": 0.3}}}),
    "adam, weighted, validated": Case(
        (X, Y, WEIGHTS),
        options={
            "validation": True,
            "metrics": ["auc", "acc"],
            "weighted_metrics": ["mse"],
            "early_stopping": {"monitor": "val_loss", "patience": 2},
        },
    ),
    "pcgrad": Case(
        (X, (Y, TARGET)),
        _two_outputs,
        {
            "losses": ["bce", {"type": "mse", "weight": 0.5}],
            "optimizer": {"type": "sgd", "args": {"learning_rate": 0.1}, "grad_process": "pcgrad"},
        },
    ),
    "two optimizers, clipped": Case(
        options={
            "groups": _both_groups,
            "optimizer": ["adam", {"type": "sgd", "args": {"learning_rate": 0.1}}],
            "gradient": {"global_clip_norm": 0.05},
        }
    ),
    "accumulated, averaged": Case(
        options={"gradient": {"accumulate_steps": 2}, "ema": {"momentum": 0.5}, "term_on_nan": True}
    ),
    "embedding": Case((WORDS, Y), _embedding, {"optimizer": {"type": "ftrl", "args": {"learning_rate": 0.1}}}),
    "grouped metric": Case(((X, USERS), Y), _with_users, {"metrics": [{"type": "GAUC", "args": {"user_id_index": 1}}]}),
    "one batch, so that one worker has none": Case(rows=3),
}
"""Two workers with B rows each give what one process with 2B rows gives."""

DIFFERENT = {
    "restless": Case(model=_restless, options={"metrics": "acc"}),
    "restless, full batches": Case(model=_restless, rows=4 * BATCH),
}
"""BatchNormalization and Dropout depend on how rows are divided, but workers end alike."""

ON_DEVICES = ("embedding",)
"""What two workers train on two devices each, too."""


@functools.cache
def undivided(name: str, keras: KerasVersion, *, scale: int) -> Mapping[str, Any]:
    """What one process gives on one device."""
    return SAME[name].run(keras, scale=scale)


def _devices_of_parts() -> list[str]:
    """Where the parts of a batch are computed."""

    def divided(batch: Any) -> Any:
        return Spread(2)(lambda index, part: tf.exp(part), batch, joined=put_together)

    graph = tf.function(divided, autograph=False).get_concrete_function(tf.TensorSpec([4])).graph
    return sorted(operation.device for operation in graph.get_operations() if operation.type == "Exp")


def _run_all(folder: Path) -> None:
    from runyard.cluster import who_am_i
    from runyard.training.together import Together
    from runyard.training.workers import wait_for_all

    place = who_am_i(tf_config=os.environ["TF_CONFIG"])
    assert place is not None
    processor = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
    workers = Together(place)
    for keras in (2, 3):
        for name, case in {**SAME, **DIFFERENT}.items():
            np.savez(folder / f"{name} keras{keras} worker{workers.index}.npz", **case.run(keras, workers=workers))
        for name in ON_DEVICES:
            found = SAME[name].run(keras, workers=workers, division=Division(shards=2, replicas=2))
            np.savez(folder / f"{name} on devices keras{keras} worker{workers.index}.npz", **found)
    (folder / f"devices{workers.index}.txt").write_text("\n".join(_devices_of_parts()))
    wait_for_all(workers)
    os._exit(0)


if __name__ == "__main__":
    _run_all(Path(sys.argv[1]))
