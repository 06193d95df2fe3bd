"""The scalars of `log_info` over the clones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone


@dataclass(frozen=True)
class LogInfo:
    """What lines show.

    Attributes:
        names: of `log_info`, in its order.
        of_clones: the tensors of the clones that are shown.
    """

    names: Sequence[str]
    of_clones: Sequence[Sequence[Any]]

    def mean(self) -> list[Any]:
        """One tensor for each name."""
        with tf.name_scope("log_info"):
            if len(self.of_clones) == 1:
                return list(self.of_clones[0])
            columns = zip(*self.of_clones, strict=True)
            return [_mean(column) for column in columns]


def log_info(clones: Sequence[Clone], *, first_only: bool) -> LogInfo:
    """The `log_info` of the first clone, or of all."""
    shown = clones[:1] if first_only else clones
    names = list(clones[0].spec.log_info)
    return LogInfo(names, [[_tensor(clone.spec.log_info, name) for name in names] for clone in shown])


def _mean(values: Sequence[Any]) -> Any:
    """The mean of numbers; of texts the first."""
    if values[0].dtype == tf.string:
        return values[0]
    return tf.reduce_mean(tf.stack([tf.cast(one, tf.float32) for one in values]))


def _tensor(info: Mapping[str, Any], name: str) -> Any:
    return tf.convert_to_tensor(info[name])


def shown(names: Sequence[str], values: Sequence[Any]) -> str:
    """`\\tloss: 3.977\\taccuracy: 0.188`."""
    return "".join(f"\t{name}: {_three_digits(value)}" for name, value in zip(names, values, strict=True))


def is_nan(value: Any) -> bool:
    """Whether a value of `log_info` is a number no more."""
    return not isinstance(value, bytes | str) and bool(np.isnan(value).any())


def _three_digits(value: Any) -> str:
    try:
        return f"{float(value):.3f}"
    except (TypeError, ValueError):
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
