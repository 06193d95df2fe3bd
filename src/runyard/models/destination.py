"""Where a model may be saved. Saving replaces a whole directory, so it must hold nothing else."""

from pathlib import Path

from runyard.checkpoint.durable import storage_errors
from runyard.errors import StorageError

MODEL_PARTS = frozenset(
    {
        "saved_model.pb",
        "saved_model.pbtxt",
        "keras_metadata.pb",
        "fingerprint.pb",
        "variables",
        "assets",
        "assets.extra",
        "model.keras",
    }
)
"""What makes a model, whoever reads it."""

_PARTS = MODEL_PARTS | {"model.json"}

TRAINING_STATE = "training_state"
"""What a training needs to go on from a model: no part of it, and never exported."""


def refuse_destination(directory: Path) -> None:
    """Worth asking before a long training, too.

    Raises:
        StorageError: if the directory holds anything that is not a saved model.
    """
    with storage_errors(directory):
        if directory.is_dir():
            foreign = _foreign(directory)
        elif directory.exists():
            raise StorageError(f"cannot save to {directory}: it is a file")
        else:
            return
    if foreign:
        raise StorageError(
            f"cannot save to {directory}: saving replaces the directory, but it holds {', '.join(sorted(foreign))}, "
            "which is no part of a saved model",
            hint="choose another save_path, such as saved_model",
        )


def is_saved_model(directory: Path) -> bool:
    return any((directory / name).is_file() for name in ("saved_model.pb", "saved_model.pbtxt"))


def _foreign(directory: Path) -> list[str]:
    """What is neither a part of the model in the directory nor itself a saved model."""
    parts = {TRAINING_STATE, *(_PARTS if is_saved_model(directory) else ())}
    left = [entry for entry in directory.iterdir() if entry.name not in parts]
    return [entry.name for entry in left if not (entry.is_dir() and is_saved_model(entry) and not _foreign(entry))]
