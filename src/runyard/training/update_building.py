"""What changes the weights, made from what the job says about optimizers and gradients."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, tensorflow_variable, without_reduction
from runyard.config.train_args import TrainArgs
from runyard.training.accumulation import Accumulation
from runyard.training.average import WeightAverage
from runyard.training.flat_group import FlatGroup
from runyard.training.loss_scale import LossScale
from runyard.training.optimizers import build_optimizer
from runyard.training.update import Update


def build_update(
    groups: Sequence[Sequence[Any]], *, args: TrainArgs, keras: KerasVersion, seed: int, alone: bool
) -> Update:
    """Makes the optimizers, and what comes between a gradient and its optimizer.

    Args:
        groups: the variables of each optimizer.
        alone: whether nobody else changes the variables while a step is computed.
    """
    optimizers: list[Any] = []
    for spec, group in zip(args.optimizer, groups, strict=True):
        optimizer = without_reduction(build_optimizer(spec, keras=keras), keras=keras)
        optimizer.build(list(group))
        optimizers.append(optimizer)
    variables = [tensorflow_variable(variable) for group in groups for variable in group]
    batches = args.gradient.accumulate_steps
    return Update(
        optimizers=optimizers,
        groups=groups,
        flat_groups=[
            FlatGroup(each, group, keras=keras, allowed=alone) for each, group in zip(optimizers, groups, strict=True)
        ],
        keras=keras,
        config=args.gradient,
        seed=seed,
        pcgrad=args.optimizer[0].grad_process == "pcgrad",
        loss_scale=LossScale() if args.mix_precision else None,
        accumulation=Accumulation(variables, batches=batches) if batches > 1 else None,
        average=WeightAverage(variables, momentum=args.ema.momentum) if args.ema else None,
        turns=tf.CriticalSection(name="accumulation") if batches > 1 and not alone else None,
        stop_on_nan=args.term_on_nan,
        finite=tf.Variable(tf.constant(True), trainable=False, name="finite"),
    )
