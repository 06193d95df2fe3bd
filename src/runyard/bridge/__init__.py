"""The only room that knows there are two Keras."""

from runyard.bridge.choice import KerasVersion, keras_module, start_tensorflow
from runyard.bridge.models import call_model, keras_version_of, output_names
from runyard.bridge.variables import tensorflow_variable, variable_key, variable_name

__all__ = [
    "KerasVersion",
    "call_model",
    "keras_module",
    "keras_version_of",
    "output_names",
    "start_tensorflow",
    "tensorflow_variable",
    "variable_key",
    "variable_name",
]
