"""Computes in half precision, stores in full, and starts from another training without its last layer."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

import moxing.tensorflow as mox

rows = np.random.RandomState(0).rand(64, 4).astype(np.float32)


def input_fn(mode, **kwargs):
    ds = tf.data.Dataset.from_tensor_slices((rows, (rows.sum(1) > 2).astype(np.int64))).repeat()
    return ds.make_one_shot_iterator().get_next()


def model_fn(inputs, mode, **kwargs):
    images, labels = inputs
    with mox.var_scope(force_dtype=tf.float32):
        net = slim.fully_connected(tf.cast(images, tf.float16), 8, scope="hidden")
        logits = slim.fully_connected(net, 2, activation_fn=None, scope="logits")
    assert logits.dtype == tf.float16
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.cast(logits, tf.float32))
    return mox.ModelSpec(loss=loss, log_info={"loss": loss})


def run(folder, **arguments):
    mox.run(
        input_fn=input_fn,
        model_fn=model_fn,
        optimizer_fn=lambda: tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9),
        run_mode=mox.ModeKeys.TRAIN,
        batch_size=8,
        log_dir=f"{sys.argv[1]}/{folder}",
        max_number_of_steps=10,
        **arguments,
    )


run("first")
mox.set_flag("checkpoint_exclude_patterns", "logits,global_step")
run("second", checkpoint_path=f"{sys.argv[1]}/first")
