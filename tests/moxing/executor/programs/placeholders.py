"""Placeholders in model_fn, fed by a hook."""

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

import moxing.tensorflow as mox
from moxing.tensorflow.executor.hooks import FeedSessionRunHook


def input_fn(run_mode, **kwargs):
    return [tf.constant(0.0)]


def model_fn(inputs, mode, **kwargs):
    del inputs
    images = tf.placeholder(dtype=tf.float32, shape=[16, 4, 4, 3])
    labels = tf.placeholder(dtype=tf.int64, shape=[16])
    logits = slim.fully_connected(slim.flatten(images), 10)
    labels_one_hot = slim.one_hot_encoding(labels, 10)
    loss = tf.losses.softmax_cross_entropy(
        logits=logits, onehot_labels=labels_one_hot, label_smoothing=0.0, weights=1.0
    )
    feed = {images: np.random.random(size=[16, 4, 4, 3]), labels: np.random.randint(0, 10, size=[16])}
    return mox.ModelSpec(loss=loss, log_info={"loss": loss}, hooks=[FeedSessionRunHook(feed_dict=feed)])


mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.001),
    run_mode=mox.ModeKeys.TRAIN,
    auto_batch=False,
    batch_size=16,
    log_dir=None,
    max_number_of_steps=100,
    log_every_n_steps=10,
)
