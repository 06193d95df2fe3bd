"""The only room that knows there are two Keras."""

from runyard.bridge.additions import adding_in_place
from runyard.bridge.autograph import autograph_on
from runyard.bridge.choice import KerasVersion, chosen_keras, keras_module, start_tensorflow
from runyard.bridge.flat import can_be_flat, one_variable_more, slot_lists
from runyard.bridge.lookups import looking_up_in_place
from runyard.bridge.losses import averaging_in_replicas, is_loss, is_metric
from runyard.bridge.metrics import metric_variables
from runyard.bridge.models import call_model, keras_version_of, output_names
from runyard.bridge.nadam import graph_nadam
from runyard.bridge.optimizers import (
    apply_gradients,
    finish_optimizer,
    learning_rate_of,
    optimizer_memory,
    optimizer_variables,
    without_reduction,
)
from runyard.bridge.precision import set_precision
from runyard.bridge.random_state import draw_differently, random_states
from runyard.bridge.seeds import seed_keras
from runyard.bridge.slots import new_slot, slot_index
from runyard.bridge.variables import tensorflow_variable, variable_key, variable_name

__all__ = [
    "KerasVersion",
    "adding_in_place",
    "apply_gradients",
    "autograph_on",
    "averaging_in_replicas",
    "call_model",
    "can_be_flat",
    "chosen_keras",
    "draw_differently",
    "finish_optimizer",
    "graph_nadam",
    "is_loss",
    "is_metric",
    "keras_module",
    "keras_version_of",
    "learning_rate_of",
    "looking_up_in_place",
    "metric_variables",
    "new_slot",
    "one_variable_more",
    "optimizer_memory",
    "optimizer_variables",
    "output_names",
    "random_states",
    "seed_keras",
    "set_precision",
    "slot_index",
    "slot_lists",
    "start_tensorflow",
    "tensorflow_variable",
    "variable_key",
    "variable_name",
    "without_reduction",
]
