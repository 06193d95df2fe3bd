"""Which saved models a task is about, and how they are loaded."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.errors import ModelError, StorageError
from runyard.models import SavedModelPath, load_model, read_result_file
from runyard.models.destination import is_saved_model
from runyard.models.result_file import DEFAULT_RESULT_FILE
from runyard.runner.evaluation.named_models import ModelSource, named_models
from runyard.runner.job_script import JobScript
from runyard.runner.plan import Plan

_DEFAULT_SAVE_PATH = "saved_model"


@dataclass(frozen=True)
class LoadedModel:
    """A model that can be called with `training=False`, of either Keras or an `ExportedModel`."""

    name: str
    path: Path
    model: Any


def models_to_evaluate(
    plan: Plan, *, upstream: Path | None = None, online_model: str | None = None
) -> list[ModelSource]:
    """The models of an upstream result file, then those of `eval_args`; the trained one when neither names any.

    Args:
        online_model: what `${ONLINE_MODEL}$` stands for; None: what the environment says.

    Raises:
        InvalidJob: if a path needs to know where the online model is, and nothing says so.
        StorageError: if nothing is named and no training has saved a model yet.
    """
    named = named_models(plan, online_model=online_model)
    found = [*(_of_result_file(upstream) if upstream else []), *named]
    return _without_repeats(found) if found else trained_models(plan)


def model_to_predict_with(plan: Plan, *, upstream: Path | None = None) -> ModelSource:
    """The model of `predict_args`, else the first of an upstream result file, else the trained one.

    Raises:
        StorageError: if nothing is named and no training has saved a model yet.
        ModelError: if a training has saved several, and none is named.
    """
    args = plan.job.job_detail.predict_args
    if args is not None and args.model_path is not None:
        return ModelSource(plan.paths.in_data(args.model_path), args.model_name or None)
    found = _of_result_file(upstream) if upstream else trained_models(plan)
    if len(found) > 1 and not upstream:
        raise ModelError(
            f"the training saved several models: {', '.join(str(source.path) for source in found)}",
            hint="name one of them in predict_args.model_path",
        )
    return found[0]


def trained_models(plan: Plan) -> list[ModelSource]:
    """What the training of this job has saved: found where the job saves, else named by its result file.

    The result file alone would not do: it is that of the last training in the folder, which may be another job's.

    Raises:
        StorageError: if there is nothing.
    """
    train_args = plan.job.job_detail.train_args
    chosen = plan.job.output_file if train_args is not None else None  # else it is for the results of this task
    result_file = plan.paths.data / Path(chosen or DEFAULT_RESULT_FILE).name
    named = _of_result_file(result_file) if result_file.is_file() else []
    directory = plan.paths.in_data(train_args.save_path if train_args else _DEFAULT_SAVE_PATH)
    found = list(_saved_below(directory))
    if train_args is None or not found:
        found = named if named and all(source.path.exists() for source in named) else found
    elif {source.path for source in named} == {source.path for source in found}:
        found = named
    if not found:
        raise StorageError(
            f"there is no trained model: {directory} does not exist or holds none",
            hint="train the job first with `runyard train`, or name a model in the job file",
        )
    return found


def load(source: ModelSource, *, script: JobScript, purpose: str, number: int = 0) -> LoadedModel | None:
    """Loads a model with the script's `awf_load_model_fn`, or with Runyard's loader where there is none.

    Args:
        purpose: what the script may want to know: "evaluate", "predict" or "export"; "train" is for a model that a
            training goes on from, which is loaded elsewhere.
        number: of the model in the job, for a name where there is no other.

    Returns:
        None if the script's own loader returns None.
    """
    if script.loads_models:
        model = script.load_model(str(source.path), name=source.name or source.path.stem, purpose=purpose)
    else:
        model = load_model(source.path, classes=script.classes)
    if model is None:
        return None
    name = source.name or str(getattr(model, "name", None) or f"model_{number}")
    return LoadedModel(name, source.path, model)


def _of_result_file(path: Path) -> list[ModelSource]:
    found = [_of_line(line, folder=path.parent) for line in read_result_file(path)]
    if not found:
        raise StorageError(f"the result file {path} names no model")
    return found


def _of_line(line: SavedModelPath, *, folder: Path) -> ModelSource:
    return ModelSource(folder / line.path, line.name)


def _saved_below(directory: Path) -> Iterator[ModelSource]:
    if is_saved_model(directory):
        yield ModelSource(directory)
    elif directory.is_dir():
        entries = (entry for entry in sorted(directory.iterdir()) if not entry.name.startswith("."))
        yield from (ModelSource(entry, entry.name) for entry in entries if is_saved_model(entry))


def _without_repeats(sources: Iterable[ModelSource]) -> list[ModelSource]:
    """A path that comes again counts if it comes under another name."""
    kept: list[ModelSource] = []
    names_at: dict[str, set[str | None]] = {}
    for source in sources:
        names = names_at.setdefault(os.path.abspath(source.path), set())  # noqa: PTH100 - it follows no links
        if not names or (source.name is not None and source.name not in names):
            kept.append(source)
        names.add(source.name)
    return kept
