from typing import Any

import pytest
import tensorflow as tf

from runyard.errors import DataError
from runyard.training.collected import CollectedMetric
from runyard.training.grouped_auc import grouped_auc

label, output = tf.constant([[0], [1]]), tf.constant([[0.2], [0.8]])


def collected(group_key: int | str) -> CollectedMetric:
    return CollectedMetric("gauc", group_key=group_key, value=grouped_auc)


def update(metric: CollectedMetric, inputs: Any, weight: Any = None) -> None:
    metric.update(inputs, label=label, output=output, weight=weight)


@pytest.mark.parametrize(
    ("group_key", "inputs"),
    [(1, (output, tf.constant([7, 7]))), ("uid", {"uid": tf.constant([["a"], ["a"]])}), (0, [tf.constant([7, 7])])],
)
def test_groups_come_from_the_inputs(group_key: int | str, inputs: Any) -> None:
    metric = collected(group_key)
    update(metric, inputs)
    assert metric.result() == 1.0


def test_rows_of_all_batches_count() -> None:
    received: list[Any] = []
    metric = CollectedMetric("gauc", group_key=0, value=lambda *columns: received.extend(columns) or 0.25)
    step = tf.function(lambda ids: update(metric, (ids,), tf.constant([1.0, 2.0])), autograph=False)
    for ids in ([1, 2], [3, 4]):
        step(tf.constant(ids))
    assert metric.result() == 0.25
    assert [column.tolist() for column in received] == [
        [1, 2, 3, 4],
        [0.0, 1.0, 0.0, 1.0],
        pytest.approx([0.2, 0.8, 0.2, 0.8]),
        [1.0, 2.0, 1.0, 2.0],
    ]


def test_reset_forgets_the_rows() -> None:
    metric = collected(0)
    update(metric, (tf.constant([1, 1]),))
    metric.reset_state()
    assert metric.result() == 0.0


@pytest.mark.parametrize(
    ("inputs", "there"), [({"x": output}, r"has \['x'\]"), ((output,), r"has \[0\]"), (output, "is one tensor")]
)
def test_a_missing_id_is_refused(inputs: Any, there: str) -> None:
    metric = collected("uid" if isinstance(inputs, dict) else 1)
    with pytest.raises(DataError, match=f"metric .gauc.: user_id_index is .*, but x {there}"):
        update(metric, inputs)


@pytest.mark.parametrize("ids", [[7, 7], ["a", "a"]])
def test_rows_survive_a_checkpoint(ids: Any) -> None:
    saved, resumed = collected(0), collected(0)
    update(saved, (tf.constant(ids),))
    update(saved, (tf.constant(ids),), None)
    resumed.load_columns(saved.columns())
    update(resumed, (tf.constant(ids),))
    assert resumed.result() == saved.result() == 1.0
    assert [len(column) for column in resumed.columns()] == [6, 6, 6]


def test_no_rows_survive_a_checkpoint_too() -> None:
    metric = collected(0)
    metric.load_columns(collected(0).columns())
    assert metric.result() == 0.0


@pytest.mark.parametrize("group_key", [0, None])
def test_columns_of_different_sizes_are_refused_before_there_are_rows(group_key: Any) -> None:
    metric = CollectedMetric("mine", group_key=group_key, value=grouped_auc)

    def step(ids: Any, scores: Any) -> None:
        metric.update((ids,), label=tf.ones_like(ids), output=scores, weight=None)

    specs = (tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 3]))
    with pytest.raises(DataError, match=r"metric 'mine' needs one .*label, score for each row; came: .*\(\?, 3\)"):
        tf.function(step, autograph=False).get_concrete_function(*specs)


@pytest.mark.parametrize(
    ("ids", "kind"), [(tf.ragged.constant([[7], [7]]), "ragged"), (tf.sparse.from_dense([[7], [7]]), "sparse")]
)
def test_ids_that_are_not_dense_are_refused(ids: Any, kind: str) -> None:
    with pytest.raises(DataError, match=f"metric 'gauc' needs one user id for each row, but this is a {kind} tensor"):
        update(collected(0), (ids,))


def test_rows_that_cannot_be_used_name_the_metric() -> None:
    metric = CollectedMetric("click_gauc", group_key=0, value=grouped_auc)
    metric.update((tf.constant([7, 7]),), label=label, output=tf.constant([[0.2], [float("nan")]]), weight=None)
    with pytest.raises(DataError, match="metric 'click_gauc': GAUC cannot use scores that are NaN"):
        metric.result()
