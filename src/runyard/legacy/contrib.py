"""Where the parts of `tf.contrib` live now. Data only, so that a program is judged without TensorFlow."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_OWN = "runyard.legacy"
_V1 = "tensorflow.compat.v1"
_LOOKUP = "tensorflow.python.ops.lookup_ops"


@dataclass(frozen=True)
class Room:
    """One package of `tf.contrib`.

    Attributes:
        sources: modules that hold its names now; the first that has a name gives it.
        names: names that live elsewhere, or under another name: `module:attribute`.
        modules: packages within it, and the modules that they are now.
        instead: what to use instead of a name that is in none of these; `replaced` knows it for single names.
    """

    sources: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    instead: str = "nothing in TensorFlow 2.21"
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])


_FEATURE_COLUMN = "tf.feature_column"

ROOMS: Mapping[str, Room] = {
    "slim": Room(
        sources=("tf_slim",),
        modules={"nets": "tf_slim.nets", "python.slim": "tf_slim", "python.slim.nets": "tf_slim.nets"},
        instead="tf_slim, or your own layers with tf.layers",
    ),
    "layers": Room(
        sources=("tf_slim.layers", "tf_slim.layers.layers", "tf_slim.layers.utils", "tf_slim.layers.sparse_ops"),
        names={
            "flatten": "tf_slim.layers:flatten",
            "embedding_lookup_unique": f"{_OWN}.contrib_functions:plain_lookup",
            "embed_sequence": f"{_OWN}.contrib_functions:embed_sequence",
        },
        instead="tf.layers, or tf_slim.layers",
        replaced={
            "real_valued_column": f"{_FEATURE_COLUMN}.numeric_column",
            "sparse_column_with_keys": f"{_FEATURE_COLUMN}.categorical_column_with_vocabulary_list",
            "sparse_column_with_hash_bucket": f"{_FEATURE_COLUMN}.categorical_column_with_hash_bucket",
            "sparse_column_with_integerized_feature": f"{_FEATURE_COLUMN}.categorical_column_with_identity",
            "embedding_column": f"{_FEATURE_COLUMN}.embedding_column",
            "one_hot_column": f"{_FEATURE_COLUMN}.indicator_column",
            "bucketized_column": f"{_FEATURE_COLUMN}.bucketized_column",
            "crossed_column": f"{_FEATURE_COLUMN}.crossed_column",
            "input_from_feature_columns": "tf.feature_column.input_layer",
        },
    ),
    "framework": Room(
        sources=("tf_slim.ops.arg_scope", "tf_slim.ops.variables", "tf_slim.ops.framework_ops"),
        names={
            "argsort": f"{_V1}:argsort",
            "sort": f"{_V1}:sort",
            "is_tensor": f"{_V1}:is_tensor",
            "nest": f"{_V1}:nest",
            "list_variables": f"{_V1}.train:list_variables",
            "load_checkpoint": f"{_V1}.train:load_checkpoint",
            "load_variable": f"{_V1}.train:load_variable",
            "init_from_checkpoint": f"{_V1}.train:init_from_checkpoint",
            "get_or_create_global_step": f"{_V1}.train:get_or_create_global_step",
            "get_global_step": f"{_V1}.train:get_global_step",
            "create_global_step": f"{_V1}.train:create_global_step",
            "assert_global_step": f"{_V1}.train:assert_global_step",
            "local_variable": "tf_slim.ops.variables:local_variable",
            "CriticalSection": f"{_V1}:CriticalSection",
        },
        modules={"variables": "tf_slim.ops.variables"},
        instead="tf_slim.ops, or tf.train for checkpoints",
    ),
    "data": Room(
        sources=("tensorflow.compat.v1.data.experimental",),
        names={
            "AUTOTUNE": f"{_V1}.data.experimental:AUTOTUNE",
            "Dataset": f"{_V1}.data:Dataset",
            "Iterator": f"{_V1}.data:Iterator",
            "TFRecordDataset": f"{_V1}.data:TFRecordDataset",
            "TextLineDataset": f"{_V1}.data:TextLineDataset",
            "FixedLengthRecordDataset": f"{_V1}.data:FixedLengthRecordDataset",
            "batch_and_drop_remainder": f"{_OWN}.contrib_functions:batch_and_drop_remainder",
            "padded_batch_and_drop_remainder": f"{_OWN}.contrib_functions:padded_batch_and_drop_remainder",
        },
        instead="tf.data, or tf.data.experimental",
        replaced={"sloppy_interleave": "tf.data.experimental.parallel_interleave(..., sloppy=True)"},
    ),
    "training": Room(
        sources=("tf_slim.training.training", "tf_slim.training.evaluation"),
        names={
            "HParams": f"{_OWN}.hparams:HParams",
            "parse_values": f"{_OWN}.hparams:parse_values",
            "checkpoints_iterator": f"{_V1}.train:checkpoints_iterator",
        },
        instead="tf_slim.training, or tf.data for batches",
        replaced={"bucket_by_sequence_length": "tf.data.experimental.bucket_by_sequence_length"},
    ),
    "metrics": Room(
        sources=("tf_slim.metrics",),
        names={"confusion_matrix": f"{_V1}:confusion_matrix", "set_difference": f"{_V1}.sets:difference"},
        instead="tf.metrics",
    ),
    "losses": Room(sources=("tf_slim.losses",), instead="tf.losses"),
    "rnn": Room(
        sources=("tensorflow.compat.v1.nn.rnn_cell",),
        names={
            "static_rnn": f"{_V1}.nn:static_rnn",
            "static_bidirectional_rnn": f"{_V1}.nn:static_bidirectional_rnn",
            "static_state_saving_rnn": f"{_V1}.nn:static_state_saving_rnn",
            "LSTMBlockCell": f"{_V1}.nn.rnn_cell:LSTMCell",
            "GRUBlockCell": f"{_V1}.nn.rnn_cell:GRUCell",
        },
        modules={"python.ops.core_rnn_cell": "tensorflow.compat.v1.nn.rnn_cell"},
        instead="tf.nn.rnn_cell, or tf.keras.layers",
    ),
    "lookup": Room(
        sources=(_LOOKUP,),
        names={"HashTable": f"{_V1}.lookup:StaticHashTable"},
        instead="tf.lookup",
    ),
    "util": Room(
        names={
            "constant_value": f"{_V1}:get_static_value",
            "make_tensor_proto": f"{_V1}:make_tensor_proto",
            "make_ndarray": f"{_V1}:make_ndarray",
        },
        instead="tf.make_tensor_proto, tf.make_ndarray, tf.get_static_value",
    ),
    "tensorboard": Room(
        modules={"plugins": "tensorboard.plugins", "plugins.projector": "tensorboard.plugins.projector"}
    ),
    "session_bundle": Room(
        modules={"exporter": f"{_OWN}.exporter", "gc": f"{_OWN}.export_versions"},
        instead="tf.saved_model, the format that replaced session bundles",
    ),
    "learn": Room(
        modules={
            "datasets": f"{_OWN}.mnist",
            "datasets.mnist": f"{_OWN}.mnist",
            "python.learn.datasets": f"{_OWN}.mnist",
            "python.learn.datasets.mnist": f"{_OWN}.mnist",
        },
        instead="tf.keras; estimators are out of scope",
    ),
    "keras": Room(sources=("tf_keras.api._v1.keras",), instead="tf.keras"),
    "lite": Room(sources=("tensorflow.compat.v1.lite",), instead="tf.lite"),
    "autograph": Room(sources=("tensorflow.compat.v1.autograph",), instead="tf.autograph"),
    "signal": Room(sources=("tensorflow.compat.v1.signal",), instead="tf.signal"),
    "distribute": Room(
        sources=("tensorflow.compat.v1.distribute", "tensorflow.compat.v1.distribute.experimental"),
        instead="tf.distribute",
    ),
    "cluster_resolver": Room(
        sources=("tensorflow.compat.v1.distribute.cluster_resolver",), instead="tf.distribute.cluster_resolver"
    ),
    "eager": Room(
        sources=("tensorflow.compat.v1.train",),
        names={
            "Variable": "tensorflow:Variable",
            "py_func": f"{_V1}:py_function",
            "executing_eagerly": f"{_V1}:executing_eagerly",
            "enable_eager_execution": f"{_V1}:enable_eager_execution",
            "defun": f"{_V1}:function",
        },
        instead="tf.GradientTape, tf.function, tf.train.Checkpoint",
    ),
    "staging": Room(
        names={"StagingArea": "tensorflow.python.ops.data_flow_ops:StagingArea"}, instead="tf.data.Dataset.prefetch"
    ),
    "stateless": Room(
        names={
            f"stateless_{kind}": f"{_V1}.random:stateless_{kind}" for kind in ("normal", "uniform", "truncated_normal")
        },
        instead="tf.random.stateless_*",
    ),
    "hooks": Room(names={"ProfilerHook": f"{_V1}.train:ProfilerHook"}, instead="tf.train's hooks"),
    "checkpoint": Room(names={"CheckpointManager": f"{_V1}.train:CheckpointManager"}, instead="tf.train.Checkpoint"),
    "summary": Room(instead="tf.compat.v2.summary, or tf.summary.FileWriter"),
    "seq2seq": Room(instead="tf.keras layers with attention (tf.keras.layers.Attention), or a decoder of your own"),
    "crf": Room(instead="a CRF layer of your own; TensorFlow has none"),
    "image": Room(instead="tf.image, or tf.keras.layers.RandomRotation and its kin"),
    "opt": Room(instead="tf.train's optimizers, or tf.keras.optimizers (AdamW, Lion)"),
    "cudnn_rnn": Room(instead="tf.keras.layers.LSTM and GRU, which use cuDNN by themselves"),
    "tpu": Room(instead="tf.compat.v1.tpu"),
    "distributions": Room(instead="the package tensorflow_probability"),
    "bayesflow": Room(instead="the package tensorflow_probability"),
    "gan": Room(instead="the package tensorflow_gan"),
    "predictor": Room(instead="tf.saved_model.load"),
    "estimator": Room(instead="tf.keras; estimators are out of scope"),
    "quantize": Room(instead="the package tensorflow_model_optimization"),
    "model_pruning": Room(instead="the package tensorflow_model_optimization"),
    "tensorrt": Room(instead="tf.experimental.tensorrt"),
    "ffmpeg": Room(instead="tf.audio"),
    "mixed_precision": Room(instead="tf.keras.mixed_precision"),
    "nn": Room(instead="tf.nn"),
    "graph_editor": Room(instead="tf.graph_util and tf.import_graph_def"),
}
"""Every package that has a home or a known replacement."""


def room_of(path: str) -> tuple[str, Room | None, str]:
    """Splits what follows `tf.contrib.`: the package, its room if it has one, and the rest."""
    name, _, rest = path.partition(".")
    return name, ROOMS.get(name), rest


def without_python(path: str) -> str:
    """`python.ops.variables` as `variables`: programs also name the folders that `tf.contrib` had inside."""
    parts = path.split(".")
    return ".".join(parts[2:]) if parts[0] == "python" else path


def no_home(path: str) -> str:
    """What to tell a program that asks for a part of `tf.contrib` that has no home."""
    _, room, rest = room_of(path)
    if room is None:
        return f"tf.contrib.{path} is gone since TensorFlow 2, and nothing that Runyard knows of has taken its place"
    instead = room.replaced.get(rest, room.instead)
    return f"tf.contrib.{path} is gone since TensorFlow 2; instead: {instead}"
