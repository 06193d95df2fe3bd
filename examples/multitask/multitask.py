"""Two tasks, click and like, on a shared bottom: dict inputs, dict outputs, sample weights and two optimizers."""

import tensorflow as tf

NUMBERS = ["age", "hour", "clickbait"]
FEATURE_DEFAULTS = [[0], [""], [0]] + [[0.0]] * len(NUMBERS)  # row, city, item and the numbers
LABEL_DEFAULTS = [[1.0], [0.0], [0.0]]  # weight, click, like


def awf_create_model_fn(name, embedding_size, layers, city_buckets=64, num_items=200):
    inputs = {
        "city": tf.keras.Input(shape=(1,), dtype=tf.string, name="city"),
        "item": tf.keras.Input(shape=(1,), dtype=tf.int32, name="item"),
        **{number: tf.keras.Input(shape=(1,), name=number) for number in NUMBERS},
    }
    city = tf.keras.layers.Hashing(city_buckets, name="city_hash")(inputs["city"])
    embedded = [
        tf.keras.layers.Embedding(city_buckets, embedding_size, name="city_embedding")(city),
        tf.keras.layers.Embedding(num_items, embedding_size, name="item_embedding")(inputs["item"]),
    ]
    flat = [tf.keras.layers.Flatten()(vector) for vector in embedded]
    shared = tf.keras.layers.Concatenate()([*flat, *(inputs[number] for number in NUMBERS)])
    for i, layer_size in enumerate(layers):
        shared = tf.keras.layers.Dense(layer_size, activation="relu", name=f"shared_{i}")(shared)

    outputs = {}
    for task in ("click", "like"):
        tower = tf.keras.layers.Dense(16, activation="relu", name=f"{task}_tower")(shared)
        outputs[task] = tf.keras.layers.Dense(1, activation="sigmoid", name=task)(tower)
    return tf.keras.Model(inputs=inputs, outputs=outputs, name=name)


def awf_group_trainable_vars_fn(model):
    """One group per optimizer, in the order of the job file: embeddings, then everything else."""
    embeddings, others = [], []
    for layer in model.layers:
        group = embeddings if isinstance(layer, tf.keras.layers.Embedding) else others
        group.extend(layer.trainable_variables)
    return embeddings, others


def parse_features(columns):
    row, city, item, *numbers = columns
    return row, {"city": city, "item": item, **dict(zip(NUMBERS, numbers, strict=True))}


def read(file, batch_size, defaults, parse):
    def parse_lines(lines):
        columns = tf.io.decode_csv(lines, defaults)
        return parse([tf.expand_dims(column, axis=1) for column in columns])

    return tf.data.TextLineDataset(file).skip(1).batch(batch_size).map(parse_lines)


def awf_create_train_dataset_fn(file, batch_size):
    def parse(columns):
        *features, weight, click, like = columns
        _, inputs = parse_features(features)
        return inputs, {"click": click, "like": like}, weight

    return read(file, batch_size, FEATURE_DEFAULTS + LABEL_DEFAULTS, parse)


def awf_create_val_dataset_fn(file, batch_size):
    return awf_create_train_dataset_fn(file, batch_size)


def awf_create_test_dataset_fn(file, batch_size):
    return awf_create_train_dataset_fn(file, batch_size)


def awf_create_predict_dataset_fn(file, batch_size):
    """Features and the row number, which predict_args.row_id_col writes in front of each prediction."""

    def parse(columns):
        row, inputs = parse_features(columns)
        return {"row": row, **inputs}

    return read(file, batch_size, FEATURE_DEFAULTS, parse)
