"""Lines of the check's table."""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.data.shapes import describe
from runyard.runner.check import Row
from runyard.training.engine import Engine
from runyard.training.outputs import layout_of


def tensor_rows(element: Element, *, part: str) -> list[Row]:
    """The tensors of a batch: `x`, `y.click`, `weight`."""
    roles = {"x": element.inputs, "y": element.labels, "weight": element.weights}
    return [
        Row(part, f"{role}{path if path.startswith('[') or not path else '.' + path}", shape, dtype)
        for role, tensors in roles.items()
        for path, shape, dtype in describe(tensors)
    ]


def output_rows(model: Any, outputs: Any, *, part: str) -> list[Row]:
    layout = layout_of(model, outputs)
    named = dict(zip(layout.names, layout.flatten(outputs), strict=True))
    return [Row(part, path, shape, dtype) for path, shape, dtype in describe(named)]


def result_rows(results: Mapping[str, Any], *, losses: int, suffix: str = "", prefix: str = "") -> list[Row]:
    """Losses and metrics of a batch.

    Args:
        losses: how many of the results are losses; they come first.
    """
    return [
        Row("loss" if place < losses else "metric", f"{prefix}{name}{suffix}", value=_number(value))
        for place, (name, value) in enumerate(results.items())
    ]


def optimizer_rows(engine: Engine, *, args: TrainArgs) -> list[Row]:
    rows: list[Row] = []
    for spec, variables in zip(args.optimizer, engine.update.groups, strict=True):
        numbers = sum(int(tf.size(variable)) for variable in variables)
        rows.append(Row("optimizer", spec.type, value=f"{len(variables)} variables, {numbers:,} numbers"))
    return rows


def _number(value: Any) -> str:
    return f"{float(value):.6g}" if not isinstance(value, list) else ", ".join(f"{item:.6g}" for item in value)
