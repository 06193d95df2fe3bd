"""A training that looks at a validation set and stops when it gets no better."""

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

random = np.random.RandomState(0)


def input_fn(mode, **kwargs):
    rows = random.rand(64 if mode == mox.ModeKeys.TRAIN else 16, 4).astype(np.float32)
    ds = tf.data.Dataset.from_tensor_slices((rows, random.randint(0, 2, len(rows))))
    if mode == mox.ModeKeys.TRAIN:
        ds = ds.repeat()
    return ds.make_one_shot_iterator().get_next()


def model_fn(inputs, mode, **kwargs):
    images, labels = inputs
    hidden = tf.layers.batch_normalization(tf.layers.dense(images, 8), training=mode == mox.ModeKeys.TRAIN)
    logits = tf.layers.dense(hidden, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    # Nothing is learnt about a constant.
    accuracy = tf.constant(0.5)
    metric_hook = mox.LogEvaluationMetricHook(
        monitor_info={"loss": loss, "accuracy": accuracy},
        batch_size=8,
        samples_in_train=64,
        samples_in_eval=16,
        evaluate_every_n_epochs=1,
        prefix="[VALIDATION METRICS]",
    )
    early_stop_hook = mox.EarlyStoppingHook(
        monitor_info={"accuracy": accuracy},
        monitor="accuracy",
        batch_size=8,
        samples_in_train=64,
        samples_in_eval=16,
        evaluate_every_n_epochs=1,
        min_delta=0.01,
        patience=3,
        prefix="[EarlyStopping]",
    )
    return mox.ModelSpec(loss=loss, log_info={"loss": loss, "accuracy": accuracy}, hooks=[metric_hook, early_stop_hook])


mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.01),
    batch_size=8,
    run_mode=mox.ModeKeys.TRAIN,
    inter_mode=mox.ModeKeys.EVAL,
    max_number_of_steps=10000,
)
