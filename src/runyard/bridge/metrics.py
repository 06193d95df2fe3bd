"""Metrics of either Keras."""

from typing import Any

from runyard.bridge.variables import tensorflow_variable


def metric_variables(metric: Any) -> list[Any]:
    return [tensorflow_variable(variable) for variable in metric.variables]
