"""Rows come as they are, however many batches go into a call."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.config.eval_args import PredictArgs
from runyard.predictions.columns import column_of
from runyard.predictions.features import features_of
from runyard.predictions.forward import ForwardPass
from tests.models.kinds import KINDS


def forward_of(model: Any, dataset: Any, **args: Any) -> ForwardPass:
    features = features_of(dataset.element_spec, args=PredictArgs.model_validate(args))
    return ForwardPass(model, features=features, element=dataset.element_spec)


def all_rows(forward: ForwardPass, dataset: Any, *, at_most: int) -> tuple[list[np.ndarray], list[int]]:
    """The columns of all rows, and the rows of each call."""
    iterator, calls = iter(dataset), []
    while not calls or not calls[-1].ended:
        calls.append(forward(iterator, at_most=at_most))
    arrays = zip(*(call.chunk().arrays for call in calls), strict=True)
    return [np.concatenate(column) for column in arrays], [call.rows for call in calls]


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_every_kind(kind: str, keras: KerasVersion) -> None:
    model, batch = KINDS[kind](keras)
    # A tuple of inputs stands in a tuple of its own; alone it would be inputs and labels.
    element = (batch,) if isinstance(batch, tuple) else batch
    dataset = tf.data.Dataset.from_tensor_slices(element).batch(2)
    columns, _ = all_rows(forward_of(model, dataset), dataset, at_most=10)
    outputs = model(batch, training=False) if kind != "pair" else model(batch)
    expected = [outputs[key] for key in sorted(outputs)] if isinstance(outputs, dict) else tf.nest.flatten(outputs)
    for found, wanted in zip(columns, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("at_most", "rows"), [(1, [4, 4, 2, 0]), (2, [8, 2]), (3, [10, 0]), (100, [10])])
def test_calls_are_cut_anywhere(at_most: int, rows: list[int]) -> None:
    x = np.arange(10, dtype=np.float32)[:, None]
    dataset = tf.data.Dataset.from_tensor_slices({"id": [f"{n}" for n in range(10)], "x": x}).batch(4)
    forward = forward_of(lambda inputs, training: inputs["x"] * 2, dataset, row_id_col="id")
    (ids, doubled), found = all_rows(forward, dataset, at_most=at_most)
    assert found == rows
    assert ids.tolist() == [str(n).encode() for n in range(10)]
    assert np.array_equal(doubled, x * 2)


def test_what_a_call_brings_stays_small() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(np.zeros((4, 1000), np.float32)).batch(2)
    wide = forward_of(lambda x, training: x, dataset)
    assert wide.columns.row_bytes == 4000
    for batch_size in (1, 64, 1024, 10**9):
        batches = wide.most_batches(batch_size)
        assert 1 <= batches <= 256
        assert batches == 1 or batches * batch_size * 4000 <= 16 * 2**20
    narrow = forward_of(lambda x, training: x[:, 0], dataset)
    assert narrow.most_batches(1024) == 256


def test_shapes_that_may_differ_come_batch_by_batch() -> None:
    dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).padded_batch(1, [None])
    assert forward_of(lambda x, training: x, dataset).most_batches(8) == 1


def test_halves_become_whole_floats() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(np.ones((4, 2), np.float16)).batch(2)
    forward = forward_of(lambda x, training: [x, tf.cast(x, tf.bfloat16)], dataset)
    assert [column.dtype for column in forward.columns.all] == [np.float32, np.float32]


def test_the_graph_is_made_once() -> None:
    traces = []
    dataset = tf.data.Dataset.range(100).batch(3)
    forward = forward_of(lambda x, training: traces.append(1) or x, dataset)
    for at_most in (1, 5, 7):
        all_rows(forward, dataset, at_most=at_most)
    assert len(traces) == 2, "once for the columns, once for the loop"


def test_a_column_knows_the_shape_of_a_row() -> None:
    column = column_of("a", tf.zeros((5, 2, 3)), rows=None)
    assert (column.shape, column.fixed, column.row_bytes) == ((2, 3), True, 24)


@pytest.mark.parametrize("kind", ["ragged", "sparse"])
def test_inputs_need_not_be_dense(kind: str) -> None:
    x = tf.constant([[1, 2], [3, 0], [4, 0]])
    given = tf.RaggedTensor.from_tensor(x, padding=0) if kind == "ragged" else tf.sparse.from_dense(x)
    dataset = tf.data.Dataset.from_tensor_slices({"words": given}).batch(2)

    def model(inputs: Any, training: bool) -> Any:
        words = inputs["words"]
        dense = words.to_tensor() if kind == "ragged" else tf.sparse.to_dense(words)
        return tf.reduce_sum(dense, axis=1)

    (sums,), rows = all_rows(forward_of(model, dataset), dataset, at_most=5)
    assert (sums.tolist(), rows) == ([3, 3, 4], [3])
