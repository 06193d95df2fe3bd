"""What a later training needs to go on from a saved model: all weights of the trained model, and its optimizers.

It is beside the model, because formats of models have no room for it: what is saved may be a part of what was trained,
and model servers would load optimizers for nothing.
"""

from pathlib import Path

from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.models.destination import TRAINING_STATE
from runyard.telemetry import note


def write_training_state(snapshot: Snapshot, *, directory: Path) -> None:
    """Writes it into the directory of the saved model or models.

    Raises:
        StorageError: if it cannot be written.
    """
    CheckpointStore(directory / TRAINING_STATE, keep=1).write(snapshot, step=0)


def read_training_state(path: Path) -> Snapshot | None:
    """That of a saved model, or of the several models that it is one of; None if there is none, or it is damaged.

    Raises:
        CheckpointError: if TensorFlow cannot read it.
    """
    for directory in (path, path.parent):
        found = CheckpointStore(directory / TRAINING_STATE, keep=1).newest(warn=note)
        if found is not None:
            return found.load()
    return None
