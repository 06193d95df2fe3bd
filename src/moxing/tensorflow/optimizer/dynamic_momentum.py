"""A momentum that falls while the learning rate grows, and grows while it falls."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.failures import WrongOptimizerArguments
from moxing.tensorflow.optimizer.lars import scaled_to_weights
from moxing.tensorflow.optimizer.wrapper import Pairs, with_gradients

_LARS_RATIO = 0.001


class DyMomentumOptimizer(tf.train.MomentumOptimizer):
    """Momentum SGD whose momentum is `max_mom` where the learning rate is `min_lr`, and `min_mom` where it is `max_lr`.

    In between it follows a straight line.

    Args:
        lr: the learning rate, a number or a tensor.
        max_lr: the largest that it becomes.
        min_lr: the smallest that it becomes.
        global_step: the step to look at for `cooldown`.
        max_iteration: steps of the whole training.
        cooldown: the fraction of all steps, at their end, in which the momentum is `max_mom`.
        use_lars: scale each layer's gradient to the size of its weights.
        weight_decay: L2 regularisation of variables with more than one dimension.

    Raises:
        WrongOptimizerArguments: a TypeError, if the rates or momenta are not in order, or `cooldown` lacks its steps.
    """

    def __init__(
        self,
        lr: Any,
        max_lr: float,
        min_lr: float,
        max_mom: float = 0.95,
        min_mom: float = 0.85,
        global_step: Any = None,
        max_iteration: int | None = None,
        use_nesterov: bool = False,
        cooldown: float = 0.0,
        use_lars: bool = False,
        weight_decay: float = 0.0,
    ) -> None:
        if not (min_lr < max_lr and 0 <= min_mom <= max_mom < 1):
            raise WrongOptimizerArguments(
                f"min_lr={min_lr}, max_lr={max_lr}, min_mom={min_mom}, max_mom={max_mom}",
                hint="min_lr < max_lr and 0 <= min_mom <= max_mom < 1",
            )
        momentum = max_mom - (max_mom - min_mom) * tf.clip_by_value((lr - min_lr) / (max_lr - min_lr), 0.0, 1.0)
        if cooldown:
            if global_step is None or not max_iteration:
                raise WrongOptimizerArguments(f"cooldown={cooldown} needs global_step and max_iteration")
            cools = tf.cast(global_step, tf.float32) >= (1.0 - cooldown) * max_iteration
            momentum = tf.where(cools, tf.constant(max_mom, tf.float32), momentum)
        self._momentum_now = tf.identity(momentum, name="momentum")
        super().__init__(lr, self._momentum_now, name="DyMomentum", use_nesterov=use_nesterov)
        self._ratio = _LARS_RATIO if use_lars else None
        self._weight_decay = weight_decay

    def get_momentum(self) -> Any:
        """The momentum of this step, as a tensor."""
        return self._momentum_now

    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        pairs = [
            (self._regularised(gradient, variable), variable) for gradient, variable in with_gradients(grads_and_vars)
        ]
        return super().apply_gradients(pairs, global_step=global_step, name=name)

    def _regularised(self, gradient: Any, variable: Any) -> Any:
        return scaled_to_weights(gradient, variable, ratio=self._ratio, weight_decay=self._weight_decay)
