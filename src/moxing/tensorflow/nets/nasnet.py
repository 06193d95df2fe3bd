"""NASNet-A and PNASNet-5: a stem, cells, a last layer, and in training logits from the middle."""

from dataclasses import dataclass, replace
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.nas_cell import NASNET_NORMAL, NASNET_REDUCTION, PNASNET, Cell, Drop, applied


@dataclass(frozen=True)
class Plan:
    """The proportions of a network.

    Attributes:
        width: channels of an operation in the first cells; twice as many after every reduction.
        stem: channels of the first convolution.
        cells: how many there are beside reductions and stem.
        keep_path: the share of paths that the last cell keeps at the end of a training.
        keep: the share of values that reach the last layer in training.
        training_steps: after which all of the dropping of paths has set in.
        skip: the cell after a reduction looks past the reduction.
        reduction: the kind of cell that a reduction is; None: one of the other cells, with a stride.
        for_imagenet: the stem shrinks the image three times.
    """

    width: int
    stem: int
    cells: int
    keep_path: float
    keep: float
    training_steps: int = 250_000
    skip: bool = True
    normal: Cell = NASNET_NORMAL
    reduction: Cell | None = NASNET_REDUCTION
    for_imagenet: bool = True

    @property
    def total(self) -> int:
        """Cells of all kinds."""
        return self.cells + 2 * (self.reduction is not None) + 2 * self.for_imagenet


NASNET_CIFAR = Plan(32, 96, 18, 0.6, 1.0, training_steps=937_500, skip=False, for_imagenet=False)
NASNET_MOBILE = Plan(44, 32, 12, 1.0, 0.5, skip=False)
NASNET_LARGE = Plan(168, 96, 18, 0.7, 0.5)
PNASNET_MOBILE = Plan(54, 32, 9, 1.0, 0.5, normal=PNASNET, reduction=None)
PNASNET_LARGE = replace(PNASNET_MOBILE, width=216, stem=96, cells=12, keep_path=0.6)


def layers(weight_decay: float) -> Any:
    return _layers(weight_decay, decay=0.9997, epsilon=0.001)


def cifar_layers(weight_decay: float) -> Any:
    return _layers(weight_decay, decay=0.9, epsilon=1e-5)


def _layers(weight_decay: float, *, decay: float, epsilon: float) -> Any:
    """Layers without activation; the cells have their own order of these."""
    with (
        slim.arg_scope(
            [slim.fully_connected, slim.conv2d, slim.separable_conv2d],
            activation_fn=None,
            weights_regularizer=slim.l2_regularizer(weight_decay),
            weights_initializer=slim.variance_scaling_initializer(mode="FAN_OUT"),
        ),
        slim.arg_scope([slim.conv2d, slim.separable_conv2d], biases_initializer=None),
        slim.arg_scope([slim.batch_norm], decay=decay, epsilon=epsilon, scale=True) as scope,
    ):
        return scope


def nasnet(
    images: Any, num_classes: int, *, is_training: bool, plan: Plan, total_training_steps: int | None = None
) -> tuple[Any, dict[str, Any]]:
    """A network of cells.

    Args:
        plan: its proportions.
        total_training_steps: how long the training is, for the dropping of paths, which increases until then.
    """
    steps = total_training_steps or plan.training_steps
    with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
        points: dict[str, Any] = {}
        outputs = _Outputs(plan, steps if is_training and plan.keep_path < 1 else None)
        outputs.stem(images)
        points["Stem"] = outputs.last
        scale = 1
        reductions = [plan.cells // 3, plan.cells * 2 // 3]
        for number in range(plan.cells):
            earlier = outputs.earlier
            reduces = number in reductions
            scale *= 2 if reduces else 1
            if reduces and plan.reduction:
                name = f"eduction_{{}}ell_{reductions.index(number)}"
                outputs.cell(plan.reduction, f"r{name.format('c')}", scale=scale, stride=2, before=earlier)
                points[f"R{name.format('C')}"] = outputs.last
            before = earlier if plan.skip else outputs.earlier
            stride = 2 if reduces and not plan.reduction else 1
            outputs.cell(plan.normal, f"cell_{number}", scale=scale, stride=stride, before=before)
            points[f"Cell_{number}"] = outputs.last
            if is_training and number == reductions[1] - 1:
                with tf.variable_scope(f"aux_{number}/aux_logits"):
                    points["AuxLogits"] = _auxiliary_logits(tf.nn.relu(outputs.last), num_classes)
        with tf.variable_scope("final_layer"):
            net = points["global_pool"] = tf.reduce_mean(tf.nn.relu(outputs.last), [1, 2])
            net = slim.dropout(net, plan.keep, scope="dropout")
            logits = slim.fully_connected(net, num_classes, scope="FC")
        points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits, points


class _Outputs:
    """The outputs of cells; each cell looks at the last two.

    Args:
        steps: the length of the training if paths are dropped.
    """

    def __init__(self, plan: Plan, steps: int | None) -> None:
        self._plan = plan
        self._steps = steps
        self._all: list[Any] = [None]
        self._count = 0

    @property
    def last(self) -> Any:
        return self._all[-1]

    @property
    def earlier(self) -> Any:
        """The one before the last; nothing for the first cell."""
        return self._all[-2]

    def stem(self, images: Any) -> None:
        """What comes before the cells."""
        plan = self._plan
        if not plan.for_imagenet:
            net = slim.conv2d(images, plan.stem, 3, scope="l1_stem_3x3")
            self._all.append(slim.batch_norm(net, scope="l1_stem_bn"))
            return
        net = slim.conv2d(images, plan.stem, 3, 2, "VALID", scope="conv0")
        self._all.append(slim.batch_norm(net, scope="conv0_bn"))
        for number, scale in enumerate((0.25, 0.5)):
            self.cell(plan.reduction or plan.normal, f"cell_stem_{number}", scale=scale, stride=2, before=self.earlier)

    def cell(self, kind: Cell, scope: str, *, scale: float, stride: int, before: Any) -> None:
        """Adds a cell."""
        width = int(self._plan.width * scale)
        self._count += 1
        with tf.variable_scope(scope):
            self._all.append(applied(kind, self.last, before, width=width, stride=stride, drop=self._drop(self._count)))

    def _drop(self, number: int) -> Drop:
        """The dropping of whole paths: more in later cells and later in the training."""
        if self._steps is None:
            return lambda net: net
        progress = tf.minimum(1.0, tf.cast(tf.train.get_or_create_global_step(), tf.float32) / self._steps)
        keep = 1 - progress * number / self._plan.total * (1 - self._plan.keep_path)

        def drop(net: Any) -> Any:
            kept = tf.floor(keep + tf.random.uniform([tf.shape(net)[0], 1, 1, 1]))
            return net * tf.cast(kept / keep, net.dtype)

        return drop


def _auxiliary_logits(net: Any, num_classes: int) -> Any:
    net = slim.conv2d(slim.avg_pool2d(net, 5, 3, "VALID"), 128, 1, scope="proj")
    net = tf.nn.relu(slim.batch_norm(net, scope="aux_bn0"))
    net = slim.conv2d(net, 768, net.shape.as_list()[1:3], padding="VALID", scope="Conv")
    net = tf.nn.relu(slim.batch_norm(net, scope="aux_bn1"))
    return slim.fully_connected(slim.flatten(net), num_classes, scope="FC")
