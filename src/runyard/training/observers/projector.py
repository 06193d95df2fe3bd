"""Embeddings for TensorBoard's projector."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.bridge.weights import embedding_tables
from runyard.checkpoint.durable import storage_errors, write_text
from runyard.config import nearest_name
from runyard.errors import ModelError, StorageError
from runyard.telemetry import note

_NAME = "embeddings.ckpt"


class Projector:
    """Writes the tables of a model's `Embedding` layers; the newest ones only, as the projector shows no others.

    Args:
        directory: that of an event file, so that TensorBoard finds it.
        metadata: one file for all layers, or a file for each layer's name.
        look_in: where relative paths of metadata may be, in this order.

    Raises:
        ModelError: if `metadata` names a layer that the model does not have.
    """

    def __init__(
        self,
        model: Any,
        *,
        directory: Path,
        metadata: str | Mapping[str, str] | None,
        look_in: Sequence[Path],
    ) -> None:
        self._directory = directory
        self._tables = embedding_tables(model)
        self._metadata = _by_layer(metadata, layers=list(self._tables))
        self._look_in = look_in
        self._missing: set[str] = set()
        if not self._tables:
            note("embeddings_freq is set, but the model has no Embedding layer")

    def write(self, *, step: int) -> None:
        if not self._tables:
            return
        prefix = self._directory / f"{_NAME}-{step}"
        try:
            tf.raw_ops.SaveV2(
                prefix=str(prefix),
                tensor_names=list(self._tables),
                shape_and_slices=[""] * len(self._tables),
                tensors=[tf.convert_to_tensor(table) for table in self._tables.values()],
            )
        except tf.errors.OpError as error:
            raise StorageError(f"cannot write {prefix}: {error.message}") from error
        write_text(self._directory / "projector_config.pbtxt", "".join(map(self._entry, self._tables)))
        write_text(self._directory / "checkpoint", f'model_checkpoint_path: "{prefix.name}"\n')
        with storage_errors(self._directory):
            for path in self._directory.glob(f"{_NAME}-*"):
                if path.stem != prefix.name:
                    path.unlink()

    def _entry(self, layer: str) -> str:
        lines = [f"tensor_name: {_quoted(layer)}"]
        file = self._copied_metadata(layer)
        if file is not None:
            lines.append(f"metadata_path: {_quoted(file)}")
        return "".join(["embeddings {\n", *(f"  {line}\n" for line in lines), "}\n"])

    def _copied_metadata(self, layer: str) -> str | None:
        """The name of a copy next to the configuration: TensorBoard serves no other files."""
        wanted = self._metadata.get(layer)
        if wanted is None:
            return None
        source = next((path for path in (folder / wanted for folder in self._look_in) if path.is_file()), None)
        if source is None:
            if wanted not in self._missing:
                note(f"embeddings_metadata: there is no file {wanted} in {self._look_in[0]}")
            self._missing.add(wanted)
            return None
        copy = self._directory / f"metadata-{layer.replace('/', '_')}{source.suffix}"
        with storage_errors(copy):
            shutil.copyfile(source, copy)
        return copy.name


def _by_layer(metadata: str | Mapping[str, str] | None, *, layers: Sequence[str]) -> Mapping[str, str]:
    if metadata is None or isinstance(metadata, str):
        return dict.fromkeys(layers, metadata) if metadata else {}
    for name in metadata:
        if name not in layers:
            there = f"its Embedding layers are {', '.join(layers)}" if layers else "it has no Embedding layer"
            nearest = nearest_name(name, layers)
            raise ModelError(
                f"tensorboard.embeddings_metadata names {name!r}, which is no Embedding layer of the model: {there}",
                hint=f"did you mean {nearest!r}?" if nearest else None,
            )
    return metadata


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
