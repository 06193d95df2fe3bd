"""Saving: everything is written beside the final place and then renamed, so a model is there whole or not at all."""

import contextlib
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.bridge.saving import quiet_keras, write_saved_model
from runyard.checkpoint.durable import publish_directory, storage_errors, write_json
from runyard.checkpoint.state import Snapshot
from runyard.errors import ModelError, RunyardError, StorageError
from runyard.models.destination import refuse_destination
from runyard.models.input_specs import input_spec_of
from runyard.models.record import RECORD_FILE, model_record
from runyard.models.signature import serving_signature
from runyard.models.to_save import ModelToSave
from runyard.models.training_state import write_training_state

_SERVING = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


@dataclass(frozen=True)
class SavedModelPath:
    """A saved model."""

    name: str
    path: Path


def save_models(
    models: Sequence[ModelToSave], *, directory: Path, record: Mapping[str, Any], state: Snapshot | None = None
) -> list[SavedModelPath]:
    """Writes SavedModels: one model as `directory` itself, several as `directory/<name>`.

    What was saved there before is replaced when all models are written.

    Args:
        record: what `model.json` is to say of the run, such as `job` and `metrics`.
        state: what a later training needs to go on from here, saved beside the models.

    Raises:
        ModelError: if Keras cannot save a model.
        StorageError: if the disk does not take it, or the directory holds anything but saved models.
    """
    directory = directory.resolve()
    refuse_destination(directory)
    temporary = directory.with_name(f".{directory.name}.new")
    try:
        with storage_errors(directory):
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
        for one in models:
            with _failures(one, temporary=temporary, directory=directory), quiet_keras():
                _save(one, temporary if len(models) == 1 else temporary / one.name, record=record)
        if state is not None:
            write_training_state(state, directory=temporary)
        publish_directory(temporary, directory)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return [SavedModelPath(one.name, directory if len(models) == 1 else directory / one.name) for one in models]


def _save(one: ModelToSave, directory: Path, *, record: Mapping[str, Any]) -> None:
    keras = keras_version_of(one.model)
    assert keras is not None, "models_to_save lets Keras models through only"
    signature = serving_signature(one.model, spec=input_spec_of(one, keras=keras))
    signatures = {_SERVING: signature.function, **(one.signatures or {})}
    write_saved_model(
        one.model,
        directory,
        keras=keras,
        signatures=signatures,
        options=one.options,
        serve=signature.structured,
    )
    write_json(directory / RECORD_FILE, model_record(one.name, keras=keras, signature=signature, given=record))


@contextlib.contextmanager
def _failures(one: ModelToSave, *, temporary: Path, directory: Path) -> Iterator[None]:
    """Says whether the disk or the model is the reason. TensorFlow's writers name the file that they failed at."""
    try:
        yield
    except RunyardError:
        raise
    except OSError as error:
        raise StorageError(f"cannot write {directory}: {error.strerror or error}") from error
    except Exception as error:
        said = " ".join(str(error).split())
        if isinstance(error, tf.errors.OpError) and str(temporary) in said:
            raise StorageError(f"cannot write {directory}: {_reason(said)}") from error
        reason = f"{type(error).__name__}: {textwrap.shorten(said, 400, placeholder=' ...')}"
        raise ModelError(f"the model {one.name!r} cannot be saved: {reason}") from error


def _reason(said: str) -> str:
    """`... /models/.m.new/variables/x; No space left on device [Op:SaveV2]` without what is TensorFlow's own."""
    return said.rpartition("; ")[2].partition(" [Op")[0]
