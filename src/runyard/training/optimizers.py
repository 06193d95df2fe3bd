"""Optimizers from their specs."""

from typing import Any

from runyard.bridge import KerasVersion, graph_nadam
from runyard.config import OptimizerSpec
from runyard.config.known_names import Kind, find
from runyard.training.constructors import construct, constructing
from runyard.training.learning_rate import build_schedule
from runyard.training.proximal_adagrad import proximal_adagrad


def build_optimizer(spec: OptimizerSpec, *, keras: KerasVersion) -> Any:
    """An optimizer for models of that Keras.

    Raises:
        ModelError: if that Keras has no such optimizer, or it refuses its arguments.
    """
    known = find(Kind.OPTIMIZER, spec.type)
    assert known is not None, "the job file was checked"
    arguments = {name: value for name, value in spec.args.items() if name not in ("lr", "learning_rate")}
    schedule = spec.schedule
    if schedule is not None:
        arguments["learning_rate"] = build_schedule(schedule, keras=keras)
    elif spec.learning_rate is not None:
        arguments["learning_rate"] = spec.learning_rate
    if known.own:
        with constructing(known, arguments=arguments):
            return proximal_adagrad(keras, **arguments)
    if keras == 2 and known.class_name == "Nadam":
        with constructing(known, arguments=arguments):
            return graph_nadam(**arguments)
    return construct(known, namespace="optimizers", keras=keras, arguments=arguments)
