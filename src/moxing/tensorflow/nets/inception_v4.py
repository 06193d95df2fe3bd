"""Inception-v4 (arXiv 1602.07261)."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.arrangement import normalized_layers
from moxing.tensorflow.nets.towers import auxiliary_logits, both, chain, conv, final_logits, mean, shrink, towers


def layers(weight_decay: float) -> Any:
    return normalized_layers(weight_decay, decay=0.9997, epsilon=0.001, scale=False)


def inception_v4(
    images: Any, num_classes: int, *, is_training: bool, dropout_keep_prob: float = 0.8
) -> tuple[Any, dict[str, Any]]:
    """A stem and three kinds of blocks, with reductions between them."""
    points: dict[str, Any] = {}
    with (
        tf.variable_scope("InceptionV4"),
        slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
    ):
        net = chain(images, conv("1a_3x3", 32, stride=2), conv("2a_3x3", 32, valid=True), conv("2b_3x3", 64))
        for name, block in _BLOCKS.items():
            with tf.variable_scope(name):
                net = points[name] = block(net)
        with tf.variable_scope("AuxLogits"):
            points["AuxLogits"] = auxiliary_logits(
                points["Mixed_6h"], num_classes, name="Aux_logits", whole_image="Conv2d_2a"
            )
        logits = final_logits(net, num_classes, keep=dropout_keep_prob, points=points)
    return logits, points


def _stem_3a(net: Any) -> Any:
    return towers(net, (shrink,), (conv("0a_3x3", 96, stride=2),))


def _stem_4a(net: Any) -> Any:
    return towers(
        net,
        (conv("0a_1x1", 64), conv("1a_3x3", 96, valid=True)),
        (conv("0a_1x1", 64), conv("0b_1x7", 64), conv("0c_7x1", 64), conv("1a_3x3", 96, valid=True)),
    )


def _stem_5a(net: Any) -> Any:
    return towers(net, (conv("1a_3x3", 192, stride=2),), (shrink,))


def _block_a(net: Any) -> Any:
    return towers(
        net,
        (conv("0a_1x1", 96),),
        (conv("0a_1x1", 64), conv("0b_3x3", 96)),
        (conv("0a_1x1", 64), conv("0b_3x3", 96), conv("0c_3x3", 96)),
        (mean, conv("0b_1x1", 96)),
    )


def _reduction_a(net: Any) -> Any:
    return towers(
        net,
        (conv("1a_3x3", 384, stride=2),),
        (conv("0a_1x1", 192), conv("0b_3x3", 224), conv("1a_3x3", 256, stride=2)),
        (shrink,),
    )


def _block_b(net: Any) -> Any:
    longest = (conv("0b_7x1", 192), conv("0c_1x7", 224), conv("0d_7x1", 224), conv("0e_1x7", 256))
    return towers(
        net,
        (conv("0a_1x1", 384),),
        (conv("0a_1x1", 192), conv("0b_1x7", 224), conv("0c_7x1", 256)),
        (conv("0a_1x1", 192), *longest),
        (mean, conv("0b_1x1", 128)),
    )


def _reduction_b(net: Any) -> Any:
    return towers(
        net,
        (conv("0a_1x1", 192), conv("1a_3x3", 192, stride=2)),
        (conv("0a_1x1", 256), conv("0b_1x7", 256), conv("0c_7x1", 320), conv("1a_3x3", 320, stride=2)),
        (shrink,),
    )


def _block_c(net: Any) -> Any:
    longest = (conv("0b_3x1", 448), conv("0c_1x3", 512), both(conv("0d_1x3", 256), conv("0e_3x1", 256)))
    return towers(
        net,
        (conv("0a_1x1", 256),),
        (conv("0a_1x1", 384), both(conv("0b_1x3", 256), conv("0c_3x1", 256))),
        (conv("0a_1x1", 384), *longest),
        (mean, conv("0b_1x1", 256)),
    )


_BLOCKS = {
    "Mixed_3a": _stem_3a,
    "Mixed_4a": _stem_4a,
    "Mixed_5a": _stem_5a,
    **{f"Mixed_5{letter}": _block_a for letter in "bcde"},
    "Mixed_6a": _reduction_a,
    **{f"Mixed_6{letter}": _block_b for letter in "bcdefgh"},
    "Mixed_7a": _reduction_b,
    **{f"Mixed_7{letter}": _block_c for letter in "bcd"},
}
