"""The callback contract: which callbacks there are, what they are for, what they are given and what they may return."""

from dataclasses import dataclass
from enum import Enum

from runyard.config.job import CALLBACK_KEYS


class Task(Enum):
    """What a job can do."""

    TRAIN = "train"
    EVALUATE = "evaluate"
    PREDICT = "predict"


class Returns(Enum):
    """What a callback may return, in words for a person."""

    MODEL = "a Keras model"
    DATASET = "a tf.data.Dataset"
    DATASETS = "a tf.data.Dataset, or a tuple, list or dict of them"
    DATASETS_OR_NONE = "a tf.data.Dataset, a tuple, list or dict of them, or None"
    MODELS_TO_SAVE = "a Keras model, (model, signatures, options), a list or dict of models, or None"
    MODEL_OR_NONE = "a Keras model, or None"
    GROUPS = "a tuple of lists of variables, one list for each optimizer"
    OBSERVERS = "a list of objects with on_... methods"
    LOSS = "a Keras loss, or a function of y_true and y_pred"
    METRIC = "a Keras metric, or a function of y_true and y_pred"


_TRAIN = frozenset({Task.TRAIN})
_EVALUATE = frozenset({Task.EVALUATE})
_PREDICT = frozenset({Task.PREDICT})
_PATHS = ("pack_path", "data_path", "export_path")
_DATASET = (*_PATHS, "batch_size", "num_shards", "shard_index", "shard_policy", "is_chief", "repeat", "drop_remainder")


@dataclass(frozen=True)
class Callback:
    """One callback.

    Args:
        section: the key that holds its arguments, of `job_detail` or of a factory's entry; None when there is none.
        returns: what it may return.
        called_for: tasks that call it.
        required_for: tasks that cannot run without it.
        positional: how many arguments Runyard passes by position: their names are the user's.
        given: arguments that Runyard passes by name because they are the callback's subject.
        injected: arguments that are passed when the function declares them.
        optional_keys: keys of the section that are for Runyard, too, and need not be declared.
    """

    name: str
    section: str | None
    returns: Returns
    called_for: frozenset[Task]
    required_for: frozenset[Task] = frozenset()
    positional: int = 0
    given: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    optional_keys: frozenset[str] = frozenset()


CREATE_MODEL = Callback(
    "awf_create_model_fn",
    "model_args",
    Returns.MODEL,
    called_for=_TRAIN,
    required_for=_TRAIN,
    injected=_PATHS,
    optional_keys=CALLBACK_KEYS["model_args"],
)
TRAIN_DATASET = Callback(
    "awf_create_train_dataset_fn",
    "train_data_args",
    Returns.DATASET,
    called_for=_TRAIN,
    required_for=_TRAIN,
    injected=_DATASET,
    optional_keys=CALLBACK_KEYS["train_data_args"],
)
VAL_DATASET = Callback(
    "awf_create_val_dataset_fn",
    "val_data_args",
    Returns.DATASETS_OR_NONE,
    called_for=_TRAIN,
    injected=_DATASET,
    optional_keys=CALLBACK_KEYS["val_data_args"],
)
TEST_DATASET = Callback(
    "awf_create_test_dataset_fn",
    "test_data_args",
    Returns.DATASETS,
    called_for=_EVALUATE,
    required_for=_EVALUATE,
    injected=_DATASET,
    optional_keys=CALLBACK_KEYS["test_data_args"],
)
PREDICT_DATASET = Callback(
    "awf_create_predict_dataset_fn",
    "predict_data_args",
    Returns.DATASET,
    called_for=_PREDICT,
    required_for=_PREDICT,
    injected=_DATASET,
    optional_keys=CALLBACK_KEYS["predict_data_args"],
)
MODEL_TO_SAVE = Callback(
    "awf_model_to_save_fn",
    "save_model_args",
    Returns.MODELS_TO_SAVE,
    called_for=_TRAIN,
    positional=1,
    injected=_PATHS,
)
LOAD_MODEL = Callback(
    "awf_load_model_fn",
    "load_model_args",
    Returns.MODEL_OR_NONE,
    called_for=frozenset(Task),
    given=("path", "name"),
    injected=(*_PATHS, "purpose"),
)
GROUP_VARIABLES = Callback("awf_group_trainable_vars_fn", None, Returns.GROUPS, called_for=_TRAIN, positional=1)
OBSERVERS = Callback("awf_observers_fn", None, Returns.OBSERVERS, called_for=_TRAIN, injected=_PATHS)

CALLBACKS = (
    CREATE_MODEL,
    TRAIN_DATASET,
    VAL_DATASET,
    TEST_DATASET,
    PREDICT_DATASET,
    MODEL_TO_SAVE,
    LOAD_MODEL,
    GROUP_VARIABLES,
    OBSERVERS,
)

WITHOUT_MEANING = {"awf_input_placeholders_fn": "it is for estimators, which TensorFlow 2.21 no longer has"}
"""Callbacks of the original that are accepted and never called."""


def factory_callback(name: str, *, returns: Returns) -> Callback:
    """The contract of a loss or metric factory in the user's script."""
    return Callback(
        name,
        "args",
        returns,
        called_for=_TRAIN | _EVALUATE,
        injected=("model", *_PATHS),
        # What a metric is called in logs is Runyard's business, too.
        optional_keys=frozenset({"name"}) if returns is Returns.METRIC else frozenset(),
    )
