"""Checkpoints on disk: written whole or not at all, checked by digest, the newest good one found.

A checkpoint is a directory `step-000000001234` with the tensors (TensorFlow's own format), and a `manifest.json` that
lists them and the digests of the files, and has a digest of its own. The directory gets its name when all of it is on
the disk.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.checkpoint.durable import publish_directory, put_back, storage_reason
from runyard.checkpoint.record import RECORD_FILE
from runyard.checkpoint.state import Snapshot, describe_tensor
from runyard.errors import CheckpointError, StorageError

_MANIFEST = "manifest.json"
_TENSORS = "tensors"
_PREFIX = "step-"
_FORMAT = 1
_NAME = re.compile(rf"{_PREFIX}\d+|\.{_PREFIX}\d+\.(tmp|old)")


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
        """Reads the tensors.

        Raises:
            CheckpointError: if TensorFlow cannot.
        """
        names = list(self.tensors)
        if not names:
            return Snapshot({}, self.values)
        try:
            loaded = tf.raw_ops.RestoreV2(
                prefix=str(self.path / _TENSORS),
                tensor_names=names,
                shape_and_slices=[""] * len(names),
                dtypes=[tf.as_dtype(self.tensors[name]["dtype"]) for name in names],
            )
        except tf.errors.OpError as error:
            raise CheckpointError(f"checkpoint {self.path} cannot be read: {_reason(error)}") from error
        return Snapshot(dict(zip(names, loaded, strict=True)), self.values)


class CheckpointStore:
    """The checkpoints of one run."""

    def __init__(self, directory: Path, *, keep: int) -> None:
        self._directory = directory
        self._keep = keep
        self._has_written = False

    def write(self, snapshot: Snapshot, *, step: int) -> Path:
        """Writes and publishes a checkpoint, then removes the oldest.

        Raises:
            StorageError: if it cannot be written. Older checkpoints are untouched.
        """
        final = self._directory / f"{_PREFIX}{step:012d}"
        temporary = self._directory / f".{final.name}.tmp"
        try:
            self._clean_up()
            # Only the first makes the directory: if it vanishes later, so has the record of the run.
            temporary.mkdir(parents=not self._has_written)
            self._has_written = True
            _write_tensors(snapshot, temporary)
            _write_manifest(snapshot, temporary, step=step)
            publish_directory(temporary, final)
        except (tf.errors.OpError, OSError) as error:
            raise StorageError(f"cannot write checkpoint {final}: {_reason(error)}") from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        self._remove_others(step=step)
        return final

    def newest(self, *, warn: Callable[[str], None]) -> SavedCheckpoint | None:
        """The newest checkpoint that is whole; those that are damaged are told of and passed over."""
        damaged = False
        for path in reversed(self._readable()):
            try:
                return _verified(path)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                damaged = True
                warn(f"checkpoint {path} is damaged and passed over: {_reason(error)}")
        if damaged:
            warn(f"no checkpoint in {self._directory} is whole: the run starts over")
        return None

    def any(self) -> bool:
        return bool(self._readable())

    def clear(self) -> None:
        """Removes all checkpoints, and what killed runs have left of theirs."""
        for path in self._entries():
            shutil.rmtree(path, ignore_errors=True)

    def _entries(self) -> list[Path]:
        """Everything of ours in the directory, from the first step to the last."""
        found = [path for path in self._directory.glob(f"*{_PREFIX}*") if _NAME.fullmatch(path.name)]
        return sorted(found, key=_step_of)

    def _readable(self) -> list[Path]:
        """What has its name, and what was moved aside for a successor that never came."""
        entries = self._entries()
        published = [path for path in entries if path.name.startswith(_PREFIX)]
        waiting = [path for path in entries if path.suffix == ".old" and _published_name(path) not in published]
        return sorted([*published, *waiting], key=_step_of)

    def _clean_up(self) -> None:
        """Takes away what a killed run has left. Only the owner of the run's lock writes, so nobody needs it."""
        for path in self._entries():
            if path.suffix == ".old":
                put_back(_published_name(path))
            elif path.suffix == ".tmp":
                shutil.rmtree(path, ignore_errors=True)

    def _remove_others(self, *, step: int) -> None:
        """Removes the oldest, and any of a later step: the run has gone back behind them, so they were damaged."""
        published = [path for path in self._entries() if path.name.startswith(_PREFIX)]
        past = [path for path in published if _step_of(path) <= step]
        for path in published:
            if path not in past[-self._keep :]:
                shutil.rmtree(path, ignore_errors=True)


def refuse_orphans(directory: Path, *, fresh: bool) -> None:
    """Checkpoints whose run record is gone are nobody's to continue.

    Args:
        fresh: whether the user has asked to throw old checkpoints away.

    Raises:
        CheckpointError: if there are some, and the user has not.
    """
    if not fresh and CheckpointStore(directory, keep=1).any():
        raise CheckpointError(
            f"there are checkpoints in {directory}, but no record of their run",
            hint="--fresh removes them and starts over; or choose another ckpt_path",
        )


def begin_anew(directory: Path) -> None:
    """Makes room for a new run: the record first, so that a kill in between leaves no finished run without a model."""
    (directory / RECORD_FILE).unlink(missing_ok=True)
    CheckpointStore(directory, keep=1).clear()


def _write_tensors(snapshot: Snapshot, directory: Path) -> None:
    if not snapshot.tensors:
        return
    tf.raw_ops.SaveV2(
        prefix=str(directory / _TENSORS),
        tensor_names=list(snapshot.tensors),
        shape_and_slices=[""] * len(snapshot.tensors),
        tensors=list(snapshot.tensors.values()),
    )


def _write_manifest(snapshot: Snapshot, directory: Path, *, step: int) -> None:
    manifest = {
        "format": _FORMAT,
        "step": step,
        "tensors": {name: describe_tensor(tensor) for name, tensor in snapshot.tensors.items()},
        "values": snapshot.values,
        "files": {path.name: _digest(path) for path in sorted(directory.iterdir())},
    }
    signed = {**manifest, "digest": _digest_of(manifest)}
    (directory / _MANIFEST).write_text(json.dumps(signed, indent=2) + "\n", encoding="utf-8")


def _verified(path: Path) -> SavedCheckpoint:
    manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
    if manifest["format"] != _FORMAT:
        raise ValueError(f"format {manifest['format']}, expected {_FORMAT}")
    if manifest.pop("digest") != _digest_of(manifest):
        raise ValueError(f"{_MANIFEST} does not have its digest")
    for name, digest in manifest["files"].items():
        if _digest(path / name) != digest:
            raise ValueError(f"{name} does not have its digest")
    return SavedCheckpoint(path, int(manifest["step"]), manifest)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_of(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest).encode()).hexdigest()


def _published_name(path: Path) -> Path:
    return path.with_name(path.name.removeprefix(".").removesuffix(".old"))


def _step_of(path: Path) -> int:
    return int(path.name.removeprefix(".").removeprefix(_PREFIX).partition(".")[0])


def _reason(error: Exception) -> str:
    """One line without what is TensorFlow's own: `... /x/tensors.data; No space left on device [Op:SaveV2]`."""
    if isinstance(error, OSError):
        missing = f"{Path(error.filename).name}: " if isinstance(error, FileNotFoundError) and error.filename else ""
        return missing + storage_reason(error)
    if isinstance(error, KeyError):
        return f"{_MANIFEST} has no {error}"
    text = " ".join(str(error).split())
    if isinstance(error, tf.errors.OpError):
        text = text.rpartition("; ")[2].partition(" [Op")[0]
    return text or type(error).__name__
