"""`import moxing.tensorflow as mox`: everything that a script of MoXing uses."""

from moxing.tensorflow.start import start

start()

from moxing.framework import file  # noqa: E402
from moxing.tensorflow.datasets import (  # noqa: E402
    AsyncRawGenerator,
    BaseTFRecordDataset,
    BaseTFRecordMetadata,
    ImageClassificationRawDataset,
    ImageClassificationRawMetadata,
    ImageClassificationTFRecordDataset,
    ImageClassificationTFRecordMetadata,
    MultilabelClassificationRawDataset,
    MultilabelClassificationRawMetadata,
    ParallelReader,
    get_dataset,
    get_dataset_meta,
    get_tfrecord,
)
from moxing.tensorflow.executor import (  # noqa: E402
    AggregativeSessionRunHook,
    EarlyStoppingHook,
    ExportKeys,
    ExportSpec,
    FeedSessionRunHook,
    InputSpec,
    LogEvaluationMetricHook,
    ModeKey,
    ModeKeys,
    ModelSpec,
    MokeKeys,
    PlateauLREarlyStoppingHook,
    get_collection,
    get_flag,
    run,
    set_flag,
    var_scope,
)
from moxing.tensorflow.nets import NetworkKeys, get_model_fn, get_model_meta  # noqa: E402
from moxing.tensorflow.optimizer import OptimizerKeys, get_optimizer_fn, get_optimizer_wrapper_fn  # noqa: E402
from moxing.tensorflow.preprocessing import PreprocessingKeys, get_data_augmentation_fn  # noqa: E402
from moxing.tensorflow.utils.log_cache import cache  # noqa: E402

__all__ = [
    "AggregativeSessionRunHook",
    "AsyncRawGenerator",
    "BaseTFRecordDataset",
    "BaseTFRecordMetadata",
    "EarlyStoppingHook",
    "ExportKeys",
    "ExportSpec",
    "FeedSessionRunHook",
    "ImageClassificationRawDataset",
    "ImageClassificationRawMetadata",
    "ImageClassificationTFRecordDataset",
    "ImageClassificationTFRecordMetadata",
    "InputSpec",
    "LogEvaluationMetricHook",
    "ModeKey",
    "ModeKeys",
    "ModelSpec",
    "MokeKeys",
    "MultilabelClassificationRawDataset",
    "MultilabelClassificationRawMetadata",
    "NetworkKeys",
    "OptimizerKeys",
    "ParallelReader",
    "PlateauLREarlyStoppingHook",
    "PreprocessingKeys",
    "cache",
    "file",
    "get_collection",
    "get_data_augmentation_fn",
    "get_dataset",
    "get_dataset_meta",
    "get_flag",
    "get_model_fn",
    "get_model_meta",
    "get_optimizer_fn",
    "get_optimizer_wrapper_fn",
    "get_tfrecord",
    "run",
    "set_flag",
    "var_scope",
]
