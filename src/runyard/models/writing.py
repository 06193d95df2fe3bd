"""A SavedModel written in each of the formats, and what the result computes."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, keras_version_of
from runyard.bridge.saving import KERAS_FILE, quiet_keras, write_keras_model
from runyard.bridge.vocabularies import recall_vocabularies
from runyard.checkpoint.durable import storage_errors
from runyard.errors import ModelError, RunyardError, StorageError
from runyard.models.check_inputs import Arrays
from runyard.models.converting import Converted, convert
from runyard.models.destination import MODEL_PARTS
from runyard.models.exported import ExportedModel
from runyard.models.formats import ExportFormat
from runyard.models.input_specs import input_spec_of
from runyard.models.loading import load_model
from runyard.models.served import ServedModel, plain_array
from runyard.models.signature import named_leaves, named_outputs
from runyard.models.to_save import ModelToSave


def write_format(
    saved_model: Path, directory: Path, *, to: ExportFormat, signature: str, inputs: Sequence[Arrays]
) -> Converted:
    """Fills a new directory: with a SavedModel, or with `model.onnx` or `model.tflite`.

    Raises:
        ModelError: if the model cannot be had in that format.
        StorageError: if the disk does not take it.
    """
    with storage_errors(directory):
        directory.mkdir(parents=True)
    if to is ExportFormat.SAVED_MODEL:
        return _copied(saved_model, directory, inputs=inputs)
    return convert(saved_model, directory / f"model{to.suffix}", to=to, signature=signature, inputs=inputs)


def _copied(saved_model: Path, directory: Path, *, inputs: Sequence[Arrays]) -> Converted:
    """All that makes a model; what a training needs to go on stays behind."""
    with storage_errors(directory):
        for entry in saved_model.iterdir():
            if entry.name in MODEL_PARTS:
                copy = shutil.copytree if entry.is_dir() else shutil.copy2
                copy(entry, directory / entry.name)
    served = ServedModel(directory)
    return Converted([served(rows) for rows in inputs], [])


def write_keras_file(
    saved_model: Path, directory: Path, *, inputs: Sequence[Arrays], classes: Mapping[str, Any] | None
) -> Converted:
    """Fills a new directory with `model.keras`.

    Raises:
        ModelError: if Keras cannot rebuild the model, here or from the file.
        StorageError: if the disk does not take it.
    """
    file = directory / KERAS_FILE
    with storage_errors(directory):
        directory.mkdir(parents=True)
    model = load_model(saved_model, classes=classes)
    if isinstance(model, ExportedModel):
        raise ModelError(
            f"the model {saved_model} cannot be exported to keras: only its graph was saved, not its layers",
            hint="give the model's class a get_config, register it with register_keras_serializable, and train again",
        )
    try:
        with quiet_keras():
            recall_vocabularies(model)
            write_keras_model(model, file)
        written = load_model(file, classes=classes)
        return Converted([keras_outputs(written, rows) for rows in inputs], [])
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror or error}") from error
    except Exception as error:
        said = error.message if isinstance(error, RunyardError) else " ".join(str(error).split())[:400]
        raise ModelError(
            f"the model {saved_model} cannot be exported to keras: {said}",
            hint="a model of a class of its own needs get_config and register_keras_serializable; "
            "saved_model needs neither",
        ) from error


def keras_outputs(model: Any, rows: Mapping[str, Any]) -> Arrays:
    """What a Keras model computes, by the names that a server would know."""
    keras = keras_version_of(model)
    assert keras is not None, "only models of Keras have layers"
    spec = input_spec_of(ModelToSave(model.name, model), keras=keras)
    leaves = zip(named_leaves(spec), tf.nest.flatten(spec), strict=True)
    tensors = [tf.constant(rows[name], leaf.dtype) for name, leaf in leaves]
    outputs = call_model(model, tf.nest.pack_sequence_as(spec, tensors), training=False)
    return {name: plain_array(output) for name, output in named_outputs(model, outputs).items()}
