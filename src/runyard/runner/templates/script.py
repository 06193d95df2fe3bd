"""What is yours: a model, and a way to read the data. Everything else is Runyard's."""

import tensorflow as tf

FEATURES = 8


def awf_create_model_fn(hidden):
    inputs = tf.keras.Input(shape=(FEATURES,), name="features")
    x = inputs
    for size in hidden:
        x = tf.keras.layers.Dense(size, activation="relu")(x)
    outputs = tf.keras.layers.Dense(1, activation="sigmoid", name="probability")(x)
    return tf.keras.Model(inputs, outputs)


def read_csv(file):
    def parse(line):
        label, *features = tf.io.decode_csv(line, [[0.0]] * (1 + FEATURES))
        return tf.stack(features), label

    return tf.data.TextLineDataset(file).skip(1).map(parse)


def awf_create_train_dataset_fn(file):
    return read_csv(file).shuffle(10_000)


def awf_create_val_dataset_fn(file):
    return read_csv(file)


def awf_create_test_dataset_fn(file):
    return read_csv(file)


def awf_create_predict_dataset_fn(file):
    return read_csv(file).map(lambda features, label: features)
