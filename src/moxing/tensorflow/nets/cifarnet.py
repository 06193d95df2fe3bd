"""CifarNet, for the small pictures of CIFAR."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim


def layers(weight_decay: float) -> Any:
    """The weights of dense layers are kept small, those of convolutions are not."""
    with (
        slim.arg_scope([slim.conv2d], weights_initializer=tf.truncated_normal_initializer(stddev=0.05)),
        slim.arg_scope(
            [slim.fully_connected],
            biases_initializer=tf.constant_initializer(0.1),
            weights_initializer=tf.truncated_normal_initializer(stddev=0.04),
            weights_regularizer=slim.l2_regularizer(weight_decay),
        ) as scope,
    ):
        return scope


def cifarnet(
    images: Any, num_classes: int, *, is_training: bool, dropout_keep_prob: float = 0.5
) -> tuple[Any, dict[str, Any]]:
    """Two convolutions and three dense layers."""
    points: dict[str, Any] = {}
    with tf.variable_scope("CifarNet"):
        net = points["conv1"] = slim.conv2d(images, 64, 5, scope="conv1")
        net = points["pool1"] = slim.max_pool2d(net, 2, 2, scope="pool1")
        net = points["conv2"] = slim.conv2d(_neighbours_calmed(net, "norm1"), 64, 5, scope="conv2")
        net = points["pool2"] = slim.max_pool2d(_neighbours_calmed(net, "norm2"), 2, 2, scope="pool2")
        net = points["Flatten"] = slim.flatten(net)
        net = points["fc3"] = slim.fully_connected(net, 384, scope="fc3")
        net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout3")
        net = points["fc4"] = slim.fully_connected(net, 192, scope="fc4")
        logits = slim.fully_connected(
            net,
            num_classes,
            activation_fn=None,
            biases_initializer=tf.zeros_initializer(),
            weights_initializer=tf.truncated_normal_initializer(stddev=1 / 192),
            weights_regularizer=None,
            scope="logits",
        )
        points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits, points


def _neighbours_calmed(net: Any, name: str) -> Any:
    """Local response normalisation, which knows no float16."""
    wide = tf.nn.local_response_normalization(tf.cast(net, tf.float32), 4, bias=1.0, alpha=0.001 / 9, beta=0.75)
    return tf.cast(wide, net.dtype, name=name)
