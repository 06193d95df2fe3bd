"""Two networks against each other, with layers, a generator as input and pictures as summaries."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

batch_size = 4


def input_fn(run_mode, **kwargs):
    pictures = np.random.RandomState(0).rand(20, 64).astype(np.float32)

    def gen():
        while True:
            rows = np.random.randint(0, 20, batch_size)
            yield pictures[rows], np.eye(10, dtype=np.int64)[rows % 10]

    ds = tf.data.Dataset.from_generator(
        gen,
        output_types=(tf.float32, tf.int64),
        output_shapes=(tf.TensorShape([None, 64]), tf.TensorShape([None, 10])),
    )
    images, labels = ds.make_one_shot_iterator().get_next()
    images = tf.reshape(images, shape=[-1, 8, 8, 1])
    images = tf.image.resize_images(images, [16, 16])
    return (images - 0.5) / 0.5, labels


def model_fn(inputs, run_mode, **kwargs):
    images, _ = inputs
    is_train = run_mode == mox.ModeKeys.TRAIN

    def generator(x, reuse=False):
        with tf.variable_scope("generator", reuse=reuse):
            x = tf.layers.conv2d_transpose(x, 8, [4, 4], strides=(1, 1), padding="valid")
            x = tf.nn.leaky_relu(tf.layers.batch_normalization(x, training=is_train))
            x = tf.layers.conv2d_transpose(x, 4, [4, 4], strides=(2, 2), padding="same")
            x = tf.nn.leaky_relu(tf.layers.batch_normalization(x, training=is_train))
            return tf.nn.tanh(tf.layers.conv2d_transpose(x, 1, [4, 4], strides=(2, 2), padding="same"))

    def discriminator(x, reuse=False):
        with tf.variable_scope("discriminator", reuse=reuse):
            x = tf.nn.leaky_relu(tf.layers.conv2d(x, 4, [4, 4], strides=(2, 2), padding="same"))
            x = tf.layers.conv2d(x, 8, [4, 4], strides=(2, 2), padding="same")
            x = tf.nn.leaky_relu(tf.layers.batch_normalization(x, training=is_train))
            return tf.layers.conv2d(x, 1, [4, 4], strides=(1, 1), padding="valid")

    z = tf.random_normal(shape=[batch_size, 1, 1, 10])
    made = generator(z)
    real, fake = discriminator(images), discriminator(made, reuse=True)
    cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits
    ones, zeros = tf.ones([batch_size, 1, 1, 1]), tf.zeros([batch_size, 1, 1, 1])
    d_loss = tf.reduce_mean(cross_entropy(logits=real, labels=ones))
    d_loss += tf.reduce_mean(cross_entropy(logits=fake, labels=zeros))
    g_loss = tf.reduce_mean(cross_entropy(logits=fake, labels=ones))
    tf.summary.image("G_z", made, max_outputs=2)
    return mox.ModelSpec(
        loss=[d_loss, g_loss],
        var_scopes=[["discriminator"], ["generator"]],
        log_info={"D_loss": d_loss, "G_loss": g_loss},
    )


if __name__ == "__main__":
    mox.run(
        input_fn=input_fn,
        model_fn=model_fn,
        optimizer_fn=[
            mox.get_optimizer_fn(name="adam", learning_rate=0.0002, beta1=0.5),
            mox.get_optimizer_fn(name="adam", learning_rate=0.0002, beta1=0.5),
        ],
        run_mode=mox.ModeKeys.TRAIN,
        batch_size=batch_size,
        auto_batch=False,
        log_dir=sys.argv[1],
        max_number_of_steps=20,
        log_every_n_steps=9,
        save_summary_steps=9,
        save_model_secs=60,
    )
