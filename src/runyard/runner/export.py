"""`runyard export`: find the models, try and publish each in another format."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runyard.config import JobRequest
from runyard.errors import ConfigError, ModelError
from runyard.runner.plan import Plan, plan_job
from runyard.runner.starting import start

if TYPE_CHECKING:
    from runyard.models.export_place import ExportPlace
    from runyard.models.exporting import Exported, ExportSource
    from runyard.models.formats import ExportFormat
    from runyard.runner.job_script import JobScript
    from runyard.runner.model_sources import ModelSource

_DEFAULT_FOLDER = "exported"


@dataclass(frozen=True)
class ExportOptions:
    """What the command line says beyond the job.

    Args:
        to: the name of a format.
        versioned: below which directory the export gets the next number.
        output: its path, or the directory for several models.
        model: the model to export instead of the trained one.
        name: which of several trained models, or what a single one is to be called.
        check: whether the outputs are compared with those of the source.
    """

    to: str
    versioned: Path | None = None
    output: Path | None = None
    model: Path | None = None
    name: str | None = None
    check: bool = True


def export(request: JobRequest, options: ExportOptions) -> "list[Exported]":
    """Exports the trained models of a job, or one that is named.

    Raises:
        RunyardError: the kind says what went wrong; see `errors`.
    """
    if options.versioned is not None and options.output is not None:
        raise ConfigError("an export has one place: give --versioned or --output, not both")
    plan = plan_job(request, tasks=())
    start(plan)
    from runyard.models.converting import refuse_missing_packages
    from runyard.models.exporting import export_model
    from runyard.models.formats import export_format
    from runyard.runner.export_rows import rows_of_job
    from runyard.runner.job_script import load_job_script

    to = export_format(options.to)
    refuse_missing_packages(to)
    found = _sources(plan, options=options)
    script = load_job_script(plan)
    with script.active():
        sample = rows_of_job(script) if options.check else None
        places = [_place(source, plan=plan, options=options, to=to, several=len(found) > 1) for source in found]
        for place in places:
            place.refuse(to)
        sources = [_loaded(source, script=script) for source in found]
        return [
            export_model(source, to=to, place=place, sample=sample)
            for source, place in zip(sources, places, strict=True)
        ]


def _sources(plan: Plan, *, options: ExportOptions) -> "list[ModelSource]":
    from runyard.bridge.distinct import distinct_names
    from runyard.runner.model_sources import ModelSource, trained_models

    if options.model is not None:
        return [ModelSource(options.model, options.name or options.model.stem)]
    found = trained_models(plan)
    if options.name is not None and len(found) == 1:
        return [ModelSource(found[0].path, options.name)]
    names = distinct_names(source.name or source.path.name for source in found)
    named = [ModelSource(source.path, name) for source, name in zip(found, names, strict=True)]
    if options.name is None:
        return named
    chosen = [source for source in named if source.name == options.name]
    if not chosen:
        raise ModelError(f"there is no trained model {options.name!r}; there are {', '.join(names)}")
    return chosen


def _place(
    source: "ModelSource", *, plan: Plan, options: ExportOptions, to: "ExportFormat", several: bool
) -> "ExportPlace":
    from runyard.models.export_place import ExactPlace, VersionedPlace

    assert source.name is not None, "every source was given a name"
    if options.versioned is not None:
        return VersionedPlace(options.versioned / source.name if several else options.versioned)
    if options.output is not None and not several:
        return ExactPlace(options.output)
    folder = options.output or plan.paths.in_data(_DEFAULT_FOLDER)
    return ExactPlace(folder / f"{source.name}{to.suffix}")


def _loaded(source: "ModelSource", *, script: "JobScript") -> "ExportSource":
    """A SavedModel is exported as it is. The model of a file is loaded, by the script if it can do that."""
    from runyard.bridge import keras_version_of
    from runyard.models.destination import is_saved_model
    from runyard.models.exporting import ExportSource
    from runyard.runner.model_sources import load

    assert source.name is not None, "every source was given a name"
    if is_saved_model(source.path):
        return ExportSource(source.name, source.path, classes=script.classes)
    loaded = load(source, script=script, purpose="export")
    if loaded is None:
        raise ModelError(f"awf_load_model_fn returned None for {source.path}: there is nothing to export")
    if keras_version_of(loaded.model) is None:
        raise ModelError(
            f"the model {source.path} cannot be exported: awf_load_model_fn returned a {type(loaded.model).__name__}, "
            "and only models of Keras have what an export needs",
            hint="return a Keras model from awf_load_model_fn, or name a SavedModel with --model",
        )
    return ExportSource(source.name, source.path, loaded.model, classes=script.classes)
