"""Trainings with parameter servers; also the program of every process that takes part in them.

`python -m tests.training.server_cases FOLDER` is the process that TF_CONFIG names. The cluster has no chief: worker 0
runs all cases, and the others serve it.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    from runyard.bridge import start_tensorflow

    start_tensorflow(2)

import tensorflow as tf

from runyard.bridge import KerasVersion, optimizer_variables, tensorflow_variable
from runyard.checkpoint.state import restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.data.positions_elsewhere import PositionElsewhere, PositionsElsewhere
from runyard.data.sharding import Shard, ShardPolicy
from runyard.training.coordinator import Coordinator
from runyard.training.observers.base import Observer, Run
from runyard.training.serving import serve
from tests.training.trainings import Training, X, Y, small_model, training_of, weights_of
from tests.training.worker_cases import DIFFERENT, SAME


def positions(coordinator: Coordinator, dataset: Any) -> PositionsElsewhere:
    """A part of the dataset for each worker."""
    devices = coordinator.workers
    return PositionsElsewhere(
        [
            PositionElsewhere(
                Shard(index, len(devices)).of(dataset, policy=ShardPolicy.AUTO), device=device, say=lambda _: None
            )
            for index, device in enumerate(devices)
        ]
    )


def counted(coordinator: Coordinator, keras: KerasVersion) -> dict[str, Any]:
    """Several workers at once: nothing that is counted gets lost, and the weights are on the servers."""
    training = _begun(coordinator, keras, epochs=5)
    outcome = training()
    devices = {tensorflow_variable(variable).device for variable in training.model.variables}
    slots = {variable.device for variable in optimizer_variables(training.engine.optimizers[0])}
    return {
        "step": outcome.step,
        "iterations": int(training.engine.optimizers[0].iterations),
        "accuracy": outcome.results["acc"],
        "loss": outcome.results["loss"],
        "elsewhere": all("/job:ps/" in device for device in devices | slots),
    }


def placed(coordinator: Coordinator) -> dict[str, Any]:
    """Which server gets which variable."""
    with coordinator.placing_variables():
        variables = [tf.Variable(tf.zeros([size])) for size in (100_000, 40_000, 50_000)]
    return {f"{place}": variable.device for place, variable in enumerate(variables)}


class _Keeping(Observer):
    """Keeps a checkpoint of step 13, in the middle of the second epoch."""

    first: Training
    data = b""

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        if run.step == 13:
            self.data = as_bytes(take_snapshot(self.first.fit.parts()))


def gone_back(coordinator: Coordinator, keras: KerasVersion) -> dict[str, Any]:
    """A training that begins anew from a checkpoint of its middle ends as it would have ended."""
    keeping = _Keeping()
    keeping.first = _begun(coordinator, keras, observers=[keeping], steps_per_call=1, max_steps=15)
    keeping.first()
    data = keeping.data
    second = _begun(coordinator, keras)
    restore_snapshot(from_bytes(data), second.fit.parts())
    second()
    whole = _begun(coordinator, keras)
    whole()
    pairs = zip(weights_of(second.model), weights_of(whole.model), strict=True)
    return {"apart": max(float(np.max(np.abs(one - other))) for one, other in pairs), "step": second.fit.run.step}


def _begun(coordinator: Coordinator, keras: KerasVersion, **options: Any) -> Training:
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(20, seed=1).batch(2)
    with coordinator.placing_variables():
        return training_of(
            small_model(keras),
            dataset,
            data=positions(coordinator, dataset),
            metrics=["acc"],
            workers=coordinator,
            **options,
        )


def _equal_cases(coordinator: Coordinator, keras: KerasVersion) -> Mapping[str, dict[str, Any]]:
    def divided(dataset: Any) -> PositionsElsewhere:
        return positions(coordinator, dataset)

    found: dict[str, dict[str, Any]] = {}
    for name, case in {**SAME, **DIFFERENT}.items():
        with coordinator.placing_variables():
            found[name] = case.run(keras, workers=coordinator, position=divided)
    return found


def _run_all(folder: Path) -> None:
    from runyard.cluster import who_am_i

    place = who_am_i(tf_config=os.environ["TF_CONFIG"])
    assert place is not None
    if not place.is_chief:
        serve(place)
        return
    coordinator = Coordinator(place)
    everyone = coordinator.workers
    np.savez(folder / "placed.npz", **placed(coordinator))
    for keras in (2, 3):
        np.savez(folder / f"counted keras{keras}.npz", **counted(coordinator, keras))
        # With one worker, which is another process here, the order of all steps is known.
        coordinator.workers = everyone[1:]
        np.savez(folder / f"gone back keras{keras}.npz", **gone_back(coordinator, keras))
        for name, found in _equal_cases(coordinator, keras).items():
            np.savez(folder / f"{name} keras{keras}.npz", **found)
        coordinator.workers = everyone
    coordinator.dismiss()


if __name__ == "__main__":
    _run_all(Path(sys.argv[1]))
    os._exit(0)
