"""`tensorflow.contrib.session_bundle.exporter`, which writes what replaced session bundles: a SavedModel.

The folder is the one that programs expect, `<export_dir>/<version as 8 digits>`, which model servers take as a version.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow

from runyard.legacy import export_versions as gc
from runyard.telemetry import note

_v1: Any = tensorflow.compat.v1
_saved_model: Any = _v1.saved_model


@dataclass(frozen=True)
class _Signature:
    """What goes in and what comes out, by name."""

    method: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


def classification_signature(input_tensor: Any, classes_tensor: Any = None, scores_tensor: Any = None) -> _Signature:
    outputs = {"classes": classes_tensor, "scores": scores_tensor}
    present = {name: tensor for name, tensor in outputs.items() if tensor is not None}
    method = _saved_model.signature_constants.CLASSIFY_METHOD_NAME
    return _Signature(method, {"inputs": input_tensor}, present)


def regression_signature(input_tensor: Any, output_tensor: Any) -> _Signature:
    method = _saved_model.signature_constants.REGRESS_METHOD_NAME
    return _Signature(method, {"inputs": input_tensor}, {"outputs": output_tensor})


def generic_signature(name_tensor_map: Mapping[str, Any]) -> _Signature:
    """Tensors by name. Of those called `inputs` and `outputs`, the exporter makes one signature."""
    return _Signature(_saved_model.signature_constants.PREDICT_METHOD_NAME, {}, dict(name_tensor_map))


def gfile_copy_callback(files_to_copy: Mapping[str, str], export_dir_path: Any) -> None:
    """Copies the assets, source to name, into a folder."""
    for source, name in files_to_copy.items():
        _v1.gfile.Copy(source, f"{_text(export_dir_path).rstrip('/')}/{name}", overwrite=True)


class Exporter:
    """Exports the variables and the graph of a session.

    Args:
        saver: the one that the program saves checkpoints with; the SavedModel is restored with its like.
    """

    def __init__(self, saver: Any) -> None:
        self._saver = saver
        self._signatures: dict[str, _Signature] = {}
        self._init_op: Any = None
        self._clear_devices = False
        self._assets: Sequence[Any] = ()
        self._copy_assets: Callable[..., Any] = gfile_copy_callback

    def init(
        self,
        graph_def: Any = None,
        init_op: Any = None,
        clear_devices: bool = False,
        default_graph_signature: _Signature | None = None,
        named_graph_signatures: Mapping[str, _Signature] | None = None,
        assets_collection: Any = (),
        assets_callback: Callable[..., Any] = gfile_copy_callback,
    ) -> None:
        """Says what to export.

        Args:
            graph_def: taken for the sake of old calls; the graph is the session's own.
            assets_collection: constant tensors with the paths of files that the model needs. In the export they name
                the copies.
            assets_callback: called with the files, source to name, and the folder that they are to be in.
        """
        del graph_def
        self._assets, self._copy_assets = tuple(assets_collection or ()), assets_callback
        self._init_op, self._clear_devices = init_op, clear_devices
        named = dict(named_graph_signatures or {})
        if {"inputs", "outputs"} <= named.keys():
            inputs, outputs = named.pop("inputs"), named.pop("outputs")
            named["predict"] = _Signature(inputs.method, inputs.outputs, outputs.outputs)
        if default_graph_signature is None and "predict" in named:
            default_graph_signature = named["predict"]
        if default_graph_signature is not None:
            named[_saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = default_graph_signature
        self._signatures = named

    def export(
        self, export_dir_base: Any, global_step_tensor: Any, sess: Any = None, exports_to_keep: Any = None
    ) -> str:
        """Writes the version that `global_step_tensor` says and returns its folder.

        Args:
            exports_to_keep: one of `gc`'s filters; versions that it leaves out are deleted afterwards.
        """
        session = sess or _v1.get_default_session()
        version = int(_v1.train.global_step(session, global_step_tensor))
        folder = f"{_text(export_dir_base).rstrip('/')}/{version:08d}"
        builder = _saved_model.builder.SavedModelBuilder(folder)
        builder.add_meta_graph_and_variables(
            session,
            [_saved_model.tag_constants.SERVING],
            signature_def_map={name: _definition(signature) for name, signature in self._signatures.items()},
            assets_collection=self._assets or None,
            main_op=self._init_op,
            clear_devices=self._clear_devices,
            saver=self._saver,
        )
        builder.save()
        if self._assets and self._copy_assets is not gfile_copy_callback:
            self._copy_assets({path: path.rpartition("/")[2] for path in self._asset_files()}, f"{folder}/assets")
        if exports_to_keep is not None:
            gc.delete(gc.negation(exports_to_keep)(gc.get_paths(export_dir_base, parser=_with_version)))
        note(f"{folder} is a SavedModel: session bundles cannot be read any more")
        return folder

    def _asset_files(self) -> list[str]:
        return [_text(_v1.get_static_value(tensor).item()) for tensor in self._assets]


def _with_version(path: gc.Path) -> gc.Path | None:
    name = path.path.rpartition("/")[2]
    return path._replace(export_version=int(name)) if re.fullmatch(r"\d{8}", name) else None


def _definition(signature: _Signature) -> Any:
    build = _saved_model.utils.build_tensor_info
    inputs = {name: build(tensor) for name, tensor in signature.inputs.items()}
    outputs = {name: build(tensor) for name, tensor in signature.outputs.items()}
    return _saved_model.signature_def_utils.build_signature_def(inputs, outputs, signature.method)


def _text(path: Any) -> str:
    return path.decode() if isinstance(path, bytes) else str(path)
