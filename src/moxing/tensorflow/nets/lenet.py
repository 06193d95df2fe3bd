"""LeNet, for the digits of MNIST."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim


def layers(weight_decay: float) -> Any:
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        activation_fn=tf.nn.relu,
        weights_initializer=tf.truncated_normal_initializer(stddev=0.1),
        weights_regularizer=slim.l2_regularizer(weight_decay),
    ) as scope:
        return scope


def lenet(
    images: Any, num_classes: int, *, is_training: bool, dropout_keep_prob: float = 0.5
) -> tuple[Any, dict[str, Any]]:
    """Two convolutions and two dense layers."""
    points: dict[str, Any] = {}
    with tf.variable_scope("LeNet"):
        net = points["conv1"] = slim.conv2d(images, 32, 5, scope="conv1")
        net = points["pool1"] = slim.max_pool2d(net, 2, 2, scope="pool1")
        net = points["conv2"] = slim.conv2d(net, 64, 5, scope="conv2")
        net = points["pool2"] = slim.max_pool2d(net, 2, 2, scope="pool2")
        net = points["Flatten"] = slim.flatten(net)
        net = points["fc3"] = slim.fully_connected(net, 1024, scope="fc3")
        net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout3")
        logits = slim.fully_connected(net, num_classes, activation_fn=None, scope="fc4")
        points |= {"fc4": logits, "Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits, points
