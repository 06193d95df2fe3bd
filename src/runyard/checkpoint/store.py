"""Checkpoints on disk: written whole or not at all, checked by digest, the newest good one found.

A checkpoint is a directory `step-000000001234` with the tensors (TensorFlow's own format), and a `manifest.json` that
lists them and the digests of the files. The directory gets its name when all of it is on the disk.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.checkpoint.durable import publish_directory, storage_errors, write_json
from runyard.checkpoint.state import Snapshot, describe_tensor
from runyard.errors import CheckpointError, StorageError

_MANIFEST = "manifest.json"
_TENSORS = "tensors"
_PREFIX = "step-"
_FORMAT = 1


@dataclass(frozen=True)
class SavedCheckpoint:
    """A checkpoint that is whole: its files have the digests of its manifest."""

    path: Path
    step: int
    manifest: dict[str, Any]

    @property
    def values(self) -> dict[str, Any]:
        return self.manifest["values"]

    @property
    def tensors(self) -> dict[str, dict[str, Any]]:
        """Shape and type of each tensor."""
        return self.manifest["tensors"]

    def load(self) -> Snapshot:
        names = list(self.tensors)
        if not names:
            return Snapshot({}, self.values)
        loaded = tf.raw_ops.RestoreV2(
            prefix=str(self.path / _TENSORS),
            tensor_names=names,
            shape_and_slices=[""] * len(names),
            dtypes=[tf.as_dtype(self.tensors[name]["dtype"]) for name in names],
        )
        return Snapshot(dict(zip(names, loaded, strict=True)), self.values)


class CheckpointStore:
    """The checkpoints of one run."""

    def __init__(self, directory: Path, *, keep: int) -> None:
        self._directory = directory
        self._keep = keep

    def write(self, snapshot: Snapshot, *, step: int) -> Path:
        """Writes and publishes a checkpoint, then removes the oldest.

        Raises:
            StorageError: if it cannot be written. Older checkpoints are untouched.
        """
        final = self._directory / f"{_PREFIX}{step:012d}"
        temporary = self._directory / f".{final.name}.tmp"
        with storage_errors(final):
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
        try:
            _write_tensors(snapshot, temporary)
            manifest = {
                "format": _FORMAT,
                "step": step,
                "tensors": {name: describe_tensor(tensor) for name, tensor in snapshot.tensors.items()},
                "values": snapshot.values,
                "files": {path.name: _digest(path) for path in sorted(temporary.iterdir())},
            }
            write_json(temporary / _MANIFEST, manifest)
            publish_directory(temporary, final)
        except (tf.errors.OpError, OSError) as error:
            raise StorageError(f"cannot write checkpoint {final}: {_reason(error)}") from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        self._remove_oldest()
        return final

    def newest(self, *, warn: Callable[[str], None]) -> SavedCheckpoint | None:
        """The newest checkpoint that is whole; those that are damaged are told of and passed over."""
        for path in reversed(list(self._published())):
            try:
                return _verified(path)
            except (OSError, ValueError, KeyError, TypeError) as error:
                warn(f"checkpoint {path} is damaged ({error}), the one before it is used")
        return None

    def any(self) -> bool:
        return next(self._published(), None) is not None

    def clear(self) -> None:
        """Removes all checkpoints."""
        for path in self._directory.glob(f"*{_PREFIX}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _published(self) -> Iterator[Path]:
        yield from sorted(path for path in self._directory.glob(f"{_PREFIX}*") if path.is_dir())

    def _remove_oldest(self) -> None:
        for path in list(self._published())[: -self._keep]:
            shutil.rmtree(path, ignore_errors=True)


def begin_anew(directory: Path, *, fresh: bool) -> None:
    """Makes room for a new run.

    Args:
        fresh: whether the user has asked to throw old checkpoints away.

    Raises:
        CheckpointError: if there are checkpoints whose run record is gone, and the user has not.
    """
    store = CheckpointStore(directory, keep=1)
    if not fresh and store.any():
        raise CheckpointError(
            f"there are checkpoints in {directory}, but no record of their run",
            hint="--fresh removes them and starts over; or choose another ckpt_path",
        )
    store.clear()


def _write_tensors(snapshot: Snapshot, directory: Path) -> None:
    if not snapshot.tensors:
        return
    tf.raw_ops.SaveV2(
        prefix=str(directory / _TENSORS),
        tensor_names=list(snapshot.tensors),
        shape_and_slices=[""] * len(snapshot.tensors),
        tensors=list(snapshot.tensors.values()),
    )


def _verified(path: Path) -> SavedCheckpoint:
    manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
    if manifest["format"] != _FORMAT:
        raise ValueError(f"format {manifest['format']}, expected {_FORMAT}")
    for name, digest in manifest["files"].items():
        if _digest(path / name) != digest:
            raise ValueError(f"{name} does not have its digest")
    return SavedCheckpoint(path, int(manifest["step"]), manifest)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__
