"""The same MLP, batches first: a callback that declares batch_size gets it from Runyard and parses whole batches.

Parsing a batch of lines in one call is much faster than parsing line by line.
"""

import tensorflow as tf


def awf_create_model_fn(name, input_size, layers):
    inputs = tf.keras.Input(shape=(input_size,), name="input")
    x = inputs
    for i, layer_size in enumerate(layers):
        x = tf.keras.layers.Dense(layer_size, activation="relu", name=f"layer_{i}")(x)
    outputs = tf.keras.layers.Dense(1, name="output", activation="sigmoid")(x)
    return tf.keras.Model(inputs=inputs, outputs=outputs, name=name)


def read_batches(file, skip_head, batch_size, drop_remainder=False):
    return tf.data.TextLineDataset(file.strip()).skip(1 if skip_head else 0).batch(batch_size, drop_remainder)


def parse_labelled(lines, dim):
    columns = tf.io.decode_csv(lines, [[0.0]] * dim, field_delim=" ")
    return tf.stack(columns[1:], axis=1), tf.expand_dims(columns[0], axis=1)


def awf_create_train_dataset_fn(file, skip_head, dim, batch_size):
    return read_batches(file, skip_head, batch_size, True).map(lambda lines: parse_labelled(lines, dim))


def awf_create_val_dataset_fn(file, skip_head, dim, batch_size):
    return read_batches(file, skip_head, batch_size).map(lambda lines: parse_labelled(lines, dim))


def awf_create_test_dataset_fn(file, skip_head, dim, batch_size):
    """Two datasets by name: their metrics are called auc(any) and auc(best)."""

    def parse(lines, label_thresh):
        features, label = parse_labelled(lines, dim)
        return features, tf.cast(label > label_thresh, tf.int32)

    return {
        "any": read_batches(file, skip_head, batch_size).map(lambda lines: parse(lines, 0)),
        "best": read_batches(file, skip_head, batch_size).map(lambda lines: parse(lines, 2)),
    }


def awf_create_predict_dataset_fn(file, skip_head, dim, batch_size):
    def parse(lines):
        return tf.stack(tf.io.decode_csv(lines, [[0.0]] * dim, field_delim=" "), axis=1)

    return read_batches(file, skip_head, batch_size).map(parse)
