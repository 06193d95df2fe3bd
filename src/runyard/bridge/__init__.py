"""The only room that knows there are two Keras."""

from runyard.bridge.choice import KerasVersion, keras_module, start_tensorflow
from runyard.bridge.losses import averaging_in_replicas, is_loss, is_metric
from runyard.bridge.models import call_model, keras_version_of, output_names
from runyard.bridge.variables import tensorflow_variable, variable_key, variable_name

__all__ = [
    "KerasVersion",
    "averaging_in_replicas",
    "call_model",
    "is_loss",
    "is_metric",
    "keras_module",
    "keras_version_of",
    "output_names",
    "start_tensorflow",
    "tensorflow_variable",
    "variable_key",
    "variable_name",
]
