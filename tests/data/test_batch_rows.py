"""Batches taken apart and put together again."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.data.batch_rows import divided, known_rows, put_together, rows_of
from runyard.errors import ModelError


def _batch(rows: int) -> Any:
    dense = tf.reshape(tf.range(rows * 2), [rows, 2])
    ragged = tf.ragged.constant([list(range(length)) for length in range(rows)], dtype=tf.int32)
    sparse = tf.sparse.from_dense(dense)
    return ({"a": dense, "b": ragged}, None, sparse)


def _plain(batch: Any) -> list[Any]:
    inputs, _, sparse = batch
    return [inputs["a"].numpy().tolist(), inputs["b"].to_list(), tf.sparse.to_dense(sparse).numpy().tolist()]


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 5, 6])
def test_parts_together_are_the_batch(rows: int, parts: int) -> None:
    batch = _batch(rows)
    found = divided(batch, parts=parts)
    sizes = [int(rows_of(part)) for part in found]
    assert sum(sizes) == rows
    assert max(sizes) - min(sizes) <= 1
    joined = [put_together([part[0] for part in found]), None, put_together([part[2] for part in found])]
    assert _plain(joined) == _plain(batch)


def test_rows_are_counted_whatever_holds_them() -> None:
    inputs, _, sparse = _batch(4)
    for batch in (inputs["a"], inputs["b"], sparse, (None, inputs)):
        assert int(rows_of(batch)) == known_rows(batch) == 4


def test_a_number_for_a_whole_batch_cannot_be_put_together() -> None:
    with pytest.raises(ModelError, match="one number for a whole batch"):
        put_together([tf.constant(1.0), tf.constant(np.float32(2.0))])
