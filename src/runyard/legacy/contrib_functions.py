"""The few functions of `tf.contrib` that have no home but are one call today."""

from typing import Any


def batch_and_drop_remainder(batch_size: Any) -> Any:
    """`tf.contrib.data.batch_and_drop_remainder`, for `Dataset.apply`."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Any:
    """`tf.contrib.data.padded_batch_and_drop_remainder`, for `Dataset.apply`."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def plain_lookup(params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None) -> Any:
    """`tf.contrib.layers.embedding_lookup_unique`: the same values, looked up one by one."""
    import tensorflow

    return tensorflow.compat.v1.nn.embedding_lookup(params, ids, partition_strategy, name)


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: bool | None = None,
) -> Any:
    """`tf.contrib.layers.embed_sequence`: a row of a table for each id. `unique` only changed how it was looked up."""
    import tensorflow

    del unique
    v1: Any = tensorflow.compat.v1
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError("Must specify vocab size and embedding dimension when not reusing")
    with v1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        table = v1.get_variable(
            "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
        )
        return v1.nn.embedding_lookup(table, ids)
