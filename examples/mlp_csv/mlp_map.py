"""An MLP on a CSV file, one line at a time: the callbacks parse a single line and Runyard makes the batches."""

import tensorflow as tf


def awf_create_model_fn(name, input_size, layers):
    inputs = tf.keras.Input(shape=(input_size,), name="input")
    x = inputs
    for i, layer_size in enumerate(layers):
        x = tf.keras.layers.Dense(layer_size, activation="relu", name=f"layer_{i}")(x)
    outputs = tf.keras.layers.Dense(1, name="output", activation="sigmoid")(x)
    return tf.keras.Model(inputs=inputs, outputs=outputs, name=name)


def read_lines(file, skip_head):
    return tf.data.TextLineDataset(file.strip()).skip(1 if skip_head else 0)


def awf_create_train_dataset_fn(file, skip_head, dim):
    def parse(line):
        columns = tf.io.decode_csv(line, [[0.0]] * dim, field_delim=" ")
        return tf.stack(columns[1:]), columns[0]

    return read_lines(file, skip_head).map(parse)


def awf_create_val_dataset_fn(file, skip_head, dim):
    return awf_create_train_dataset_fn(file, skip_head, dim)


def awf_create_test_dataset_fn(file, skip_head, dim):
    """Two datasets from one file of grades 0 to 3: grade 1 and up is positive, and only grade 3 is positive.

    Their metrics are called auc(0) and auc(1). The third element, the sample weight, may be None.
    """

    def parse(line, label_thresh):
        columns = tf.io.decode_csv(line, [[0.0]] * dim, field_delim=" ")
        label = tf.expand_dims(columns[0], -1)
        return tf.stack(columns[1:]), tf.cast(label > label_thresh, tf.int32), None

    return (
        read_lines(file, skip_head).map(lambda line: parse(line, 0)),
        read_lines(file, skip_head).map(lambda line: parse(line, 2)),
    )


def awf_create_predict_dataset_fn(file, skip_head, dim):
    """Features only: the file has no label column."""

    def parse(line):
        return tf.stack(tf.io.decode_csv(line, [[0.0]] * dim, field_delim=" "))

    return read_lines(file, skip_head).map(parse)
