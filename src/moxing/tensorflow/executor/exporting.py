"""Exports the trained model: `log_dir/<version>/saved_model.pb`, for TensorFlow Serving and `tf.saved_model.load`."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.framework.file.stores import place_of
from moxing.tensorflow.executor.checkpoints import Source, variables_to_load
from moxing.tensorflow.executor.export_checks import check_export_spec
from moxing.tensorflow.executor.export_versions import checked_version, publish, refuse_taken
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.keys import ExportKeys
from moxing.tensorflow.executor.lines import log_line
from moxing.tensorflow.executor.specs import ExportSpec, ModelSpec
from moxing.tensorflow.executor.step_scale import STEP_SCALE
from moxing.tensorflow.utils.hyper_param_flags import mox_flags
from runyard.errors import StorageError

SIGNATURE = "predict_object"


@dataclass(frozen=True)
class ExportPlan:
    """A model that can be exported as soon as there is a checkpoint."""

    graph: tf.Graph
    spec: ExportSpec
    version: int | str
    log_dir: Path

    def write(self, checkpoint: str) -> Path:
        """Exports the model with the variables of a checkpoint, and returns its folder. Nobody sees it half written.

        Raises:
            CannotRestore: if the checkpoint does not have all variables.
            ExportDirectoryExists: an AssertionError, if that version has appeared in the meantime.
            StorageError: if it cannot be written.
        """
        from runyard.models.versions import workspace  # it takes a second that only exports need

        refuse_taken(self.log_dir, self.version)
        with (
            workspace(self.log_dir) as space,
            self.graph.as_default(),
            tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session,
        ):
            _restore(session, checkpoint)
            try:
                with _without_tensorflows_lines():
                    _save(session, self.spec, space / "model")
            except (tf.errors.OpError, OSError) as error:
                raise StorageError(
                    f"the model cannot be exported to {self.log_dir}: {getattr(error, 'message', error)}",
                    hint=f"its variables are safe in {checkpoint}",
                ) from error
            folder = publish(space / "model", log_dir=self.log_dir, version=self.version)
        log_line(f"SavedModel written to: {folder / 'saved_model.pb'}")
        return folder


def plan_export(build: Callable[[], ModelSpec], *, export_model: object, log_dir: str | None) -> ExportPlan:
    """Builds and checks the model to export, before any training.

    Args:
        build: calls `model_fn` with EXPORT in the graph that is current then.
        export_model: what to export as: `ExportKeys.TF_SERVING`, or True for the same.

    Raises:
        WrongValue: a ValueError, if `export_model`, `log_dir` or the `ExportSpec` cannot be used.
        ExportDirectoryExists: an AssertionError, if there is a model of that version already.
    """
    if export_model is not True and export_model != ExportKeys.TF_SERVING:
        raise WrongValue(f"export_model={export_model!r}", hint="give mox.ExportKeys.TF_SERVING")
    if log_dir is None:
        raise WrongValue("export_model was given, but no log_dir", hint="give log_dir: the model goes below it")
    below = Path(place_of(log_dir).path)
    graph = tf.Graph()
    with graph.as_default():
        spec = check_export_spec(build().export_spec, graph=graph)
    version = checked_version(spec.version)
    refuse_taken(below, version)
    return ExportPlan(graph, spec, version, below)


def _restore(session: Any, checkpoint: str) -> None:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    names = {variable.op.name for variable in tf.global_variables()} - {STEP_SCALE}
    if names:
        source = Source(checkpoint, own=False)
        loaded = variables_to_load(source, model_variables=names, flags=mox_flags, training=False)
        tf.train.Saver(loaded).restore(session, checkpoint)


def _save(session: Any, spec: ExportSpec, folder: Path) -> None:
    info = tf.saved_model.utils.build_tensor_info
    signature = tf.saved_model.build_signature_def(
        inputs={name: info(tensor) for name, tensor in spec.inputs_dict.items()},
        outputs={name: info(tensor) for name, tensor in spec.outputs_dict.items()},
        method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME,
    )
    default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
    builder.add_meta_graph_and_variables(
        session,
        [tf.saved_model.tag_constants.SERVING],
        signature_def_map={SIGNATURE: signature, default: signature},
        main_op=tf.tables_initializer(),
        clear_devices=True,
        strip_default_attrs=True,
    )
    builder.save()


@contextmanager
def _without_tensorflows_lines() -> Iterator[None]:
    """TensorFlow tells where it writes, but that folder has its name only afterwards, and which calls are old."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel(max(level, logging.ERROR))
    try:
        yield
    finally:
        logger.setLevel(level)
