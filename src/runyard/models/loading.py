"""Loading: whatever holds a model, written by Runyard or by others."""

import contextlib
import json
import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.bridge.saving import KERAS_FILE, quiet_keras, read_keras_model
from runyard.errors import ModelError, RunyardError, StorageError
from runyard.models.destination import is_saved_model
from runyard.models.exported import ExportedModel
from runyard.models.record import RECORD_FILE

_FORMS = "a SavedModel directory, a .keras file or an .h5 file"


def load_model(path: Path, *, classes: Mapping[str, Any] | None = None) -> Any:
    """A model that can be called, for inference: of either Keras, or an `ExportedModel` where only a graph was saved.

    Args:
        classes: the user's own layers and functions by name, which Keras files only name.

    Raises:
        StorageError: if there is nothing at that path, or it cannot be read.
        ModelError: if what is there is not a model, or cannot be rebuilt.
    """
    try:
        if not path.exists():
            raise StorageError(f"there is no model at {path}", hint=f"a model is {_FORMS}")
        with quiet_keras():
            return _load_directory(path, classes=classes) if path.is_dir() else _load_file(path, classes=classes)
    except RunyardError:
        raise
    except OSError as error:
        raise StorageError(f"cannot read the model {path}: {error.strerror or error}") from error
    except Exception as error:
        said = textwrap.shorten(str(error), 400, placeholder=" ...")
        raise ModelError(f"the model {path} cannot be loaded: {type(error).__name__}: {said}") from error


def _load_directory(path: Path, *, classes: Mapping[str, Any] | None) -> Any:
    if not is_saved_model(path):
        raise _not_a_model(path)
    if (path / "keras_metadata.pb").is_file():
        return read_keras_model(path, keras=2)
    if (path / KERAS_FILE).is_file():
        try:
            return read_keras_model(path / KERAS_FILE, keras=3, classes=classes)
        except Exception:
            # A class of the user's that is not at hand here; the graph beside it computes the same.
            return _load_graph(path)
    return _load_graph(path)


def _load_graph(path: Path) -> ExportedModel:
    model = ExportedModel(tf.saved_model.load(str(path)), path=path)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        # A graph that Keras cannot rebuild has lost the names of its outputs; the record beside it has them.
        model.output_names = list(json.loads((path / RECORD_FILE).read_text())["signature"]["outputs"])
    return model


def _not_a_model(path: Path) -> ModelError:
    inside = sorted(entry.name for entry in path.iterdir() if entry.is_dir() and is_saved_model(entry))
    if inside:
        return ModelError(
            f"{path} holds several models: {', '.join(inside)}", hint=f"name one, as in {path / inside[0]}"
        )
    return ModelError(f"{path} is not a model: it holds no saved_model.pb", hint=f"a model is {_FORMS}")


def _load_file(path: Path, *, classes: Mapping[str, Any] | None) -> Any:
    if zipfile.is_zipfile(path):
        return read_keras_model(path, keras=_version_in_zip(path), classes=classes)
    if h5py.is_hdf5(path):
        return read_keras_model(path, keras=_version_in_hdf5(path), classes=classes)
    raise ModelError(f"{path} is not a model", hint=f"a model is {_FORMS}")


def _version_in_zip(path: Path) -> KerasVersion:
    with zipfile.ZipFile(path) as archive:
        if "metadata.json" not in archive.namelist():
            raise ModelError(f"{path} is not a model: it holds no metadata.json", hint=f"a model is {_FORMS}")
        return _version(json.loads(archive.read("metadata.json")).get("keras_version"))


def _version_in_hdf5(path: Path) -> KerasVersion:
    with h5py.File(path) as file:
        if "model_config" not in file.attrs:
            raise ModelError(
                f"{path} is not a model: it holds weights only", hint="save the whole model with model.save"
            )
        return _version(file.attrs.get("keras_version"))


def _version(release: object) -> KerasVersion:
    return 3 if str(release).startswith("3") else 2
