"""Names of files go through model_fn as sequences of numbers."""

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

names = ["cat.jpg", "a-longer-name.jpg", "x.jpg", "dog.jpg"]


def bytes_to_sequence(bts):
    return np.array(list(bts))


def sequence_to_bytes(seq):
    return "".join(chr(number) for number in seq if number > 0)


def input_fn(mode):
    ds = tf.data.Dataset.from_tensor_slices((np.eye(4, dtype=np.float32), names)).repeat()
    image, image_name = ds.make_one_shot_iterator().get_next()
    image_name_seq = tf.py_func(bytes_to_sequence, inp=[image_name], Tout=tf.int64)
    image_name_seq.set_shape([None])
    return image, image_name_seq


def model_fn(inputs, mode):
    images, image_name_seqs = inputs
    logits = tf.layers.dense(images, 2)
    return mox.ModelSpec(
        loss=tf.reduce_mean(logits), output_info={"image_name_seqs": image_name_seqs, "logits": logits}
    )


def output_fn(outputs):
    for seq, _ in zip(outputs[0]["image_name_seqs"], outputs[0]["logits"], strict=True):
        print(sequence_to_bytes(seq))


mox.run(
    input_fn=input_fn,
    model_fn=model_fn,
    output_fn=output_fn,
    output_every_n_steps=1,
    optimizer_fn=mox.get_optimizer_fn("sgd", learning_rate=0.1),
    run_mode=mox.ModeKeys.TRAIN,
    batch_size=2,
    max_number_of_steps=2,
)
