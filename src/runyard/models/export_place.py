"""Where an export goes: the next number below a directory, or a path of its own."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import publish_directory, storage_errors, sync_directory, sync_tree, write_json
from runyard.errors import ConfigError
from runyard.models.destination import refuse_destination
from runyard.models.formats import ExportFormat
from runyard.models.record import RECORD_FILE
from runyard.models.versions import publish_version


@dataclass(frozen=True)
class VersionedPlace:
    """`base/1`, `base/2`: a SavedModel is the version's directory itself, other formats are a file in it."""

    base: Path

    @property
    def folder(self) -> Path:
        """Where to write before the export gets its name: on the same disk."""
        return self.base

    def refuse(self, to: ExportFormat) -> None:
        """Every format can have versions."""

    def publish(self, written: Path, *, to: ExportFormat, record: dict[str, Any]) -> Path:
        write_json(written / RECORD_FILE, record)
        return publish_version(written, base=self.base)


@dataclass(frozen=True)
class ExactPlace:
    """A path: of a directory for a SavedModel, else of a file with its record `<file>.json` beside it."""

    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent

    def refuse(self, to: ExportFormat) -> None:
        """Worth asking before the export is written.

        Raises:
            ConfigError: if the name is not one of that format, so that no other file is replaced by mistake.
            StorageError: if the directory holds anything that is not a saved model.
        """
        if to is ExportFormat.SAVED_MODEL:
            refuse_destination(self.path)
        elif self.path.suffix != to.suffix or self.path.is_dir():
            kind = "a directory" if self.path.is_dir() else "no such name"
            raise ConfigError(
                f"an export to {to.value} is a file *{to.suffix}, and {self.path} is {kind}",
                hint=f"for example --output {self.path.with_suffix(to.suffix)}",
            )

    def publish(self, written: Path, *, to: ExportFormat, record: dict[str, Any]) -> Path:
        self.refuse(to)
        if to is ExportFormat.SAVED_MODEL:
            write_json(written / RECORD_FILE, record)
            publish_directory(written, self.path)
            return self.path
        with storage_errors(self.path):
            sync_tree(written)
            os.replace(written / f"model{to.suffix}", self.path)  # noqa: PTH105
            sync_directory(self.path.parent)
        write_json(self.path.with_name(f"{self.path.name}.json"), record)
        return self.path


ExportPlace = VersionedPlace | ExactPlace
