"""Inception-ResNet-v2 (arXiv 1602.07261): Inception's towers, whose outputs are added to their input."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.towers import auxiliary_logits, chain, conv, final_logits, mean, shrink, towers


def inception_resnet_v2(
    images: Any, num_classes: int, *, is_training: bool, dropout_keep_prob: float = 0.8
) -> tuple[Any, dict[str, Any]]:
    """A stem and three kinds of residual blocks, with reductions between them."""
    points: dict[str, Any] = {}
    with (
        tf.variable_scope("InceptionResnetV2"),
        slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
    ):
        net = points["Mixed_5b"] = _stem(images)
        net = _repeated(net, 10, _block_35, scale=0.17, scope="Repeat", name="block35")
        with tf.variable_scope("Mixed_6a"):
            net = points["Mixed_6a"] = _reduction_a(net)
        net = points["PreAuxLogits"] = _repeated(net, 20, _block_17, scale=0.1, scope="Repeat_1", name="block17")
        with tf.variable_scope("AuxLogits"):
            points["AuxLogits"] = auxiliary_logits(net, num_classes, name="Logits", whole_image="Conv2d_2a_5x5")
        with tf.variable_scope("Mixed_7a"):
            net = points["Mixed_7a"] = _reduction_b(net)
        net = _repeated(net, 9, _block_8, scale=0.2, scope="Repeat_2", name="block8")
        with tf.variable_scope("Block8"):
            net = _added(net, _block_8(net), scale=1.0)
        net = points["Conv2d_7b_1x1"] = conv("7b_1x1", 1536)(net)
        logits = final_logits(net, num_classes, keep=dropout_keep_prob, points=points)
    return logits, points


def _stem(images: Any) -> Any:
    net = chain(images, conv("1a_3x3", 32, stride=2), conv("2a_3x3", 32, valid=True), conv("2b_3x3", 64), shrink)
    net = chain(net, conv("3b_1x1", 80), conv("4a_3x3", 192, valid=True), shrink)
    with tf.variable_scope("Mixed_5b"):
        return towers(
            net,
            (conv("1x1", 96),),
            (conv("0a_1x1", 48), conv("0b_5x5", 64)),
            (conv("0a_1x1", 64), conv("0b_3x3", 96), conv("0c_3x3", 96)),
            (mean, conv("0b_1x1", 64)),
        )


def _repeated(net: Any, count: int, block: Callable[[Any], Any], *, scale: float, scope: str, name: str) -> Any:
    for number in range(1, count + 1):
        with tf.variable_scope(f"{scope}/{name}_{number}"):
            net = tf.nn.relu(_added(net, block(net), scale=scale))
    return net


def _added(net: Any, change: Any, *, scale: float) -> Any:
    """The input and a small part of the change: large networks would not learn with all of it."""
    up = conv("1x1", int(net.shape[-1]), normalizer_fn=None, activation_fn=None)
    return net + scale * up(change)


def _block_35(net: Any) -> Any:
    return towers(
        net,
        (conv("1x1", 32),),
        (conv("0a_1x1", 32), conv("0b_3x3", 32)),
        (conv("0a_1x1", 32), conv("0b_3x3", 48), conv("0c_3x3", 64)),
    )


def _block_17(net: Any) -> Any:
    return towers(net, (conv("1x1", 192),), (conv("0a_1x1", 128), conv("0b_1x7", 160), conv("0c_7x1", 192)))


def _block_8(net: Any) -> Any:
    return towers(net, (conv("1x1", 192),), (conv("0a_1x1", 192), conv("0b_1x3", 224), conv("0c_3x1", 256)))


def _reduction_a(net: Any) -> Any:
    return towers(
        net,
        (conv("1a_3x3", 384, stride=2),),
        (conv("0a_1x1", 256), conv("0b_3x3", 256), conv("1a_3x3", 384, stride=2)),
        (shrink,),
    )


def _reduction_b(net: Any) -> Any:
    return towers(
        net,
        (conv("0a_1x1", 256), conv("1a_3x3", 384, stride=2)),
        (conv("0a_1x1", 256), conv("1a_3x3", 288, stride=2)),
        (conv("0a_1x1", 256), conv("0b_3x3", 288), conv("1a_3x3", 320, stride=2)),
        (shrink,),
    )
