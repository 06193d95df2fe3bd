"""What all optimizers that wrap another one have in common."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

Pairs = Sequence[tuple[Any, Any]]


class OptimizerWrapper(tf.train.Optimizer):
    """Passes everything on to the optimizer inside. A subclass changes `apply_gradients`.

    Args:
        opt: the optimizer inside, which may be a wrapper itself.
    """

    def __init__(self, opt: tf.train.Optimizer, *, name: str) -> None:
        super().__init__(use_locking=False, name=name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        return self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        return self._opt.variables()


def with_gradients(pairs: Pairs) -> list[tuple[Any, Any]]:
    """Those variables that have a gradient, as dense tensors."""
    return [(tf.convert_to_tensor(gradient), variable) for gradient, variable in pairs if gradient is not None]
