"""Programs with hooks as they were written for TensorFlow 1, several runs in one process."""

import re
from pathlib import Path

import pytest

from tests.programs.runs import runyard, write

PROGRAM = """
    import numpy as np
    import tensorflow as tf
    import moxing.tensorflow as mox
    from moxing.tensorflow.executor.hooks import FeedSessionRunHook
    slim = tf.contrib.slim


    def nothing_fn(run_mode, **kwargs):
      return [tf.constant(0.0)]


    def placeholder_model_fn(inputs, mode, **kwargs):
      del inputs
      images = tf.placeholder(dtype=tf.float32, shape=[16, 4, 4, 3])
      labels = tf.placeholder(dtype=tf.int64, shape=[16])
      logits = slim.fully_connected(slim.flatten(images), 10)
      loss = tf.losses.softmax_cross_entropy(
        logits=logits, onehot_labels=slim.one_hot_encoding(labels, 10), label_smoothing=0.0, weights=1.0)
      feed_images = np.random.random(size=[16, 4, 4, 3])
      feed_labels = np.random.randint(low=0, high=10, size=[16])
      feed_hook = FeedSessionRunHook(feed_dict={images: feed_images, labels: feed_labels})
      return mox.ModelSpec(loss=loss, log_info={'loss': loss}, hooks=[feed_hook])


    mox.run(input_fn=nothing_fn,
            model_fn=placeholder_model_fn,
            optimizer_fn=mox.get_optimizer_fn('sgd', learning_rate=0.001),
            run_mode=mox.ModeKeys.TRAIN,
            auto_batch=False,
            batch_size=16,
            log_dir=None,
            max_number_of_steps=30,
            log_every_n_steps=10)


    def input_fn(mode, **kwargs):
      seed = 1 if mode == mox.ModeKeys.TRAIN else 2
      x = np.random.RandomState(seed).rand(64, 6).astype(np.float32)
      y = (x.sum(axis=1) > 3).astype(np.int64)
      data = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
      return data.make_one_shot_iterator().get_next()


    def model_with(make_hook):
      def model_fn(inputs, mode, **kwargs):
        x, labels = inputs
        logits = slim.fully_connected(x, 2, activation_fn=None)
        loss = tf.losses.softmax_cross_entropy(logits=logits, onehot_labels=slim.one_hot_encoding(labels, 2))
        accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))
        hook = make_hook(loss, accuracy)
        return mox.ModelSpec(loss=loss, log_info={'loss': loss, 'accuracy': accuracy}, hooks=[hook])
      return model_fn


    def metric_hook(loss, accuracy):
      return mox.LogEvaluationMetricHook(
        monitor_info={'loss': loss, 'accuracy': accuracy},
        batch_size=32,
        samples_in_train=1000,
        samples_in_eval=100,
        evaluate_every_n_epochs=1,
        prefix='[VALIDATION METRICS]')


    def early_stop_hook(loss, accuracy):
      return mox.EarlyStoppingHook(
        monitor_info={'accuracy': 0.0 * accuracy},
        monitor='accuracy',
        batch_size=32,
        samples_in_train=640,
        samples_in_eval=32,
        evaluate_every_n_epochs=1,
        min_delta=0.01,
        patience=3,
        prefix='[EarlyStopping]')


    for hook, steps in ((metric_hook, 100), (early_stop_hook, 10000)):
      mox.run(input_fn=input_fn,
              model_fn=model_with(hook),
              optimizer_fn=mox.get_optimizer_fn('sgd', learning_rate=0.01),
              batch_size=32,
              run_mode=mox.ModeKeys.TRAIN,
              inter_mode=mox.ModeKeys.EVAL,
              max_number_of_steps=steps)
"""


def trained(*steps: int, names: tuple[str, ...]) -> list[str]:
    values = "".join(rf"\t{name}: N" for name in names)
    return [rf"step: {step}(global step: {step})\tsample/sec: N{values}".replace(r"\t", "\t") for step in steps]


@pytest.mark.slow
def test_lines_are_those_of_the_documents(tmp_path: Path) -> None:
    write(tmp_path, train=PROGRAM)
    done = runyard("run", "train.py", cwd=tmp_path, MOX_SILENT_MODE="1")
    assert done.returncode == 0, done.stderr
    shown = [line.removeprefix("INFO:tensorflow:") for line in done.stderr.splitlines() if "INFO:tensorflow:" in line]
    found = [re.sub(r"\d+\.\d{3}\b", "N", line) for line in shown if "step: " in line and "end at step" not in line]
    both = ("loss", "accuracy")
    assert found == [
        *trained(0, 10, 20, names=("loss",)),
        *trained(0, 10, 20, 30, names=both),
        "[VALIDATION METRICS] step: 31 loss: N accuracy: N",
        *trained(40, 50, 60, names=both),
        "[VALIDATION METRICS] step: 63 loss: N accuracy: N",
        *trained(70, 80, 90, names=both),
        "[VALIDATION METRICS] step: 95 loss: N accuracy: N",
        *trained(0, 10, names=both),
        "[EarlyStopping] step: 19 accuracy: N",
        *trained(20, 30, names=both),
        "[EarlyStopping] step: 39 accuracy: N",
        *trained(40, 50, names=both),
        "[EarlyStopping] step: 59 accuracy: N",
        *trained(60, 70, names=both),
        "[EarlyStopping] step: 79 accuracy: N",
    ]
