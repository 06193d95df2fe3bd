"""Exporting: a model in another format, tried against its source, and published whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runyard.errors import ModelError, RunyardError
from runyard.models.check_inputs import Arrays
from runyard.models.comparison import largest_difference
from runyard.models.converting import refuse_missing_packages
from runyard.models.export_place import ExportPlace
from runyard.models.formats import ExportFormat
from runyard.models.record import read_model_record
from runyard.models.saving import save_models
from runyard.models.served import ServedModel
from runyard.models.to_save import ModelToSave
from runyard.models.versions import workspace
from runyard.models.writing import keras_outputs, write_format, write_keras_file


@dataclass(frozen=True)
class ExportSource:
    """A model to export.

    Args:
        path: of a SavedModel, or of the file that `model` was loaded from.
        model: a Keras model, where the path is not a SavedModel.
        classes: the user's own layers by name, which Keras files only name.
    """

    name: str
    path: Path
    model: Any = None
    classes: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Sample:
    """Rows to try a model on, and where they come from."""

    origin: str
    rows: Arrays


@dataclass(frozen=True)
class OutputCheck:
    """How the outputs of an export compare with those of its source."""

    rows: int
    origin: str
    largest_difference: float
    tolerance: float


@dataclass(frozen=True)
class Exported:
    """An export that has its place."""

    name: str
    path: Path
    check: OutputCheck | None
    remarks: Sequence[str]


SampleMaker = Callable[[ServedModel, Sequence[str]], Sample]
"""Makes rows for a model; it is given the names of the inputs in the model's order, where they are known."""


def export_model(source: ExportSource, *, to: ExportFormat, place: ExportPlace, sample: SampleMaker | None) -> Exported:
    """Writes a model in a format; nothing is published unless its outputs are those of the source.

    Args:
        sample: None to publish it untried.

    Raises:
        ModelError: if the model cannot be had in that format, or computes something else there.
        StorageError: if it cannot be written.
        PlatformError: if a package is missing.
    """
    refuse_missing_packages(to)
    place.refuse(to)
    with workspace(place.folder) as work:
        saved_model = source.path if source.model is None else _as_saved_model(source, work / "source")
        served = ServedModel(saved_model)
        record = read_model_record(saved_model)
        order = list(record.get("signature", {}).get("inputs", {}))
        rows = sample(served, order) if sample is not None else None
        trials = _trials(rows, served=served) if rows is not None else []
        expected = [_of_source(source, served=served, inputs=inputs) for inputs in trials]
        if to is ExportFormat.KERAS:
            written = write_keras_file(saved_model, work / "new", inputs=trials, classes=source.classes)
        else:
            written = write_format(saved_model, work / "new", to=to, signature=served.signature, inputs=trials)
        check = None
        if rows is not None:
            tolerance = to.tolerance(half_precision=served.half_precision)
            what = f"the {to.value} export of {source.name!r}"
            differences = [
                largest_difference(found, wanted, tolerance=tolerance, what=what)
                for found, wanted in zip(written.outputs, expected, strict=True)
            ]
            check = OutputCheck(_count(trials[0]), rows.origin, max(differences), tolerance)
        about = {**record, "name": source.name, "export": _described(source, to=to, check=check)}
        path = place.publish(work / "new", to=to, record=about)
    return Exported(source.name, path, check, written.remarks)


def _as_saved_model(source: ExportSource, directory: Path) -> Path:
    save_models([ModelToSave(source.name, source.model)], directory=directory, record={})
    return directory


def _trials(sample: Sample, *, served: ServedModel) -> list[Arrays]:
    """All rows at once and, where a model takes any number, one alone."""
    one = [{name: array[:1] for name, array in sample.rows.items()}] if served.any_rows else []
    return [sample.rows, *one]


def _of_source(source: ExportSource, *, served: ServedModel, inputs: Arrays) -> Arrays:
    """What the source itself computes: the model of Keras where there is one, else the SavedModel."""
    try:
        return served(inputs) if source.model is None else keras_outputs(source.model, inputs)
    except RunyardError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        raise ModelError(
            f"the model {source.path} cannot be tried before it is exported: {said}",
            hint="--no-check exports it untried",
        ) from error


def _count(inputs: Arrays) -> int:
    return max((len(array) for array in inputs.values() if getattr(array, "shape", ())), default=1)


def _described(source: ExportSource, *, to: ExportFormat, check: OutputCheck | None) -> dict[str, Any]:
    return {
        "source": str(source.path),
        "format": to.value,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "check": asdict(check) if check is not None else None,
    }
