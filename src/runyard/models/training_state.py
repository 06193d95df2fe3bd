"""What a later training needs to go on from a saved model: all weights of the trained model, and its optimizers.

It is beside the model, because formats of models have no room for it: what is saved may be a part of what was trained,
and model servers would load optimizers for nothing. It holds digests of the models that it was saved with, because
somebody may put another model in their place.
"""

from pathlib import Path

from runyard.checkpoint.digests import digest_of_files
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.models.destination import MODEL_PARTS, TRAINING_STATE, is_saved_model
from runyard.telemetry import note

_MODELS = "models"
_ALONE = "."


def write_training_state(snapshot: Snapshot, *, directory: Path) -> None:
    """Writes it into the directory of the saved model or models, which are there already.

    Raises:
        StorageError: if it cannot be written.
    """
    values = {**snapshot.values, _MODELS: _digests(directory)}
    CheckpointStore(directory / TRAINING_STATE, keep=1).write(Snapshot(snapshot.tensors, values), step=0)


def read_training_state(path: Path) -> Snapshot | None:
    """That of a saved model, or of the several models that it is one of.

    Returns:
        None if there is none, it is damaged, or the model is not the one that it was saved with.

    Raises:
        CheckpointError: if TensorFlow cannot read it.
        StorageError: if the model cannot be read.
    """
    for directory in (path, path.parent):
        found = CheckpointStore(directory / TRAINING_STATE, keep=1).newest(warn=note)
        if found is None:
            continue
        then, now = found.values.get(_MODELS, {}), _digests(directory)
        if directory != path and path.name in then:
            then, now = ({path.name: digests.get(path.name)} for digests in (then, now))
        elif directory != path and path.name not in MODEL_PARTS:
            continue  # a model that just lies beside
        if then == now:
            return found.load()
        note(
            f"the model in {path} has been replaced since its training: its own weights count, and "
            f"{directory / TRAINING_STATE} does not"
        )
        return None
    return None


def _digests(directory: Path) -> dict[str, str]:
    """A digest of each saved model in a directory, by the name of its folder."""
    if is_saved_model(directory):
        return {_ALONE: _digest(directory)}
    return {entry.name: _digest(entry) for entry in sorted(directory.iterdir()) if is_saved_model(entry)}


def _digest(model: Path) -> str:
    parts = sorted(model / name for name in MODEL_PARTS)
    return digest_of_files(path for part in parts for path in (part, *sorted(part.rglob("*"))))
