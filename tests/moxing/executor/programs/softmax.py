"""A linear model: trained with a schedule, evaluated, exported; written to a file row by row."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.optimizer import learning_rate_scheduler

log_dir = sys.argv[1]
batch_size = 10
random = np.random.RandomState(1)
pictures = random.rand(200, 16).astype(np.float32)
classes = np.eye(2, dtype=np.float32)[(pictures.sum(1) > 8).astype(int)]


def input_fn(run_mode, **kwargs):
    def gen():
        while True:
            rows = random.randint(0, 200, batch_size)
            yield pictures[rows], classes[rows]

    ds = tf.data.Dataset.from_generator(
        gen,
        output_types=(tf.float32, tf.float32),
        output_shapes=(tf.TensorShape([None, 16]), tf.TensorShape([None, 2])),
    )
    return ds.make_one_shot_iterator().get_next()


def model_fn(inputs, run_mode, **kwargs):
    x, y_ = inputs
    w = tf.get_variable(name="W", initializer=tf.zeros([16, 2]))
    b = tf.get_variable(name="b", initializer=tf.zeros([2]))
    y = tf.matmul(x, w) + b
    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    confidence, label = tf.nn.top_k(tf.nn.softmax(y), k=1)
    return mox.ModelSpec(
        loss=cross_entropy,
        log_info={"loss": cross_entropy, "accuracy": accuracy},
        output_info={"prediction": label},
        export_spec=mox.ExportSpec(
            inputs_dict={"images": x}, outputs_dict={"labels": label, "confidences": confidence}, version="model"
        ),
    )


def optimizer_fn():
    rate = learning_rate_scheduler.piecewise_lr("1:0.1->0.4,2:0.4=>0.8,4:0.5", num_samples=200, global_batch_size=10)
    return mox.get_optimizer_fn("sgd", learning_rate=rate)()


def output_fn(outputs):
    with mox.file.File(f"{log_dir}/outputs.txt", "w") as f:
        for output in outputs:
            f.write(" ".join(str(label) for label in output["prediction"].ravel()) + "\n")


mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    optimizer_fn=optimizer_fn,
    run_mode=mox.ModeKeys.TRAIN,
    batch_size=batch_size,
    auto_batch=False,
    log_dir=log_dir,
    max_number_of_steps=100,
    log_every_n_steps=50,
    export_model=mox.ExportKeys.TF_SERVING,
)
mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    run_mode=mox.ModeKeys.EVAL,
    batch_size=batch_size,
    auto_batch=False,
    max_number_of_steps=10,
    checkpoint_path=log_dir,
)
mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    output_fn=output_fn,
    output_every_n_steps=10,
    run_mode=mox.ModeKeys.PREDICT,
    batch_size=batch_size,
    auto_batch=False,
    max_number_of_steps=10,
    checkpoint_path=log_dir,
)
