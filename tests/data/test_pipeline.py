from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.data.experimental.ops import testing
from tensorflow.python.ops import gen_dataset_ops

from runyard.config.train_args import Input
from runyard.data.pipeline import Prepared, prepare
from runyard.data.steps import is_prefetch
from runyard.data.tree import traits_of

ROWS = 53


@pytest.fixture
def lines(tmp_path: Path) -> Any:
    table = np.random.default_rng(0).standard_normal((ROWS, 4))
    np.savetxt(tmp_path / "rows.csv", table, fmt="%.5f", header="a b c d", comments="")
    return tf.data.TextLineDataset(str(tmp_path / "rows.csv")).skip(1)


def parse(line: Any) -> Any:
    columns = tf.io.decode_csv(line, [[0.0]] * 4, field_delim=" ")
    return tf.stack(columns[1:]), columns[0]


def parse_batch(batch: Any) -> Any:
    columns = tf.io.decode_csv(batch, [[0.0]] * 4, field_delim=" ")
    return tf.stack(columns[1:], axis=1), columns[0]


def prepared(dataset: Any, *, batch_size: int = 8, already: bool = False, **config: Any) -> Prepared:
    return prepare(dataset, batch_size=batch_size, already_batched=already, config=Input(**config))


def values(iterable: Any) -> list[Any]:
    return [tf.nest.map_structure(lambda part: part.numpy().tolist(), element) for element in iterable]


def has_vectorised(result: Prepared) -> bool:
    return "row maps vectorised" in result.done


def test_a_map_on_rows_runs_on_batches_and_no_row_is_lost(lines: Any) -> None:
    rows = lines.map(parse)
    result = prepared(rows)
    assert result.done == "batches of 8, row maps vectorised, maps in parallel, prefetched"
    assert result.dataset.element_spec == rows.batch(8).element_spec
    assert values(result.dataset) == values(rows.batch(8))
    assert len(values(result.dataset)) == 7


def test_a_batch_of_one_row_keeps_its_shape(lines: Any) -> None:
    result = prepared(lines.map(parse), batch_size=ROWS - 1)
    assert [features.shape.as_list() for features, _ in result.dataset] == [[ROWS - 1, 3], [1, 3]]


def test_the_users_python_is_not_traced_again(lines: Any) -> None:
    traces = []

    def traced(line: Any) -> Any:
        traces.append(line)
        return parse(line)

    rows = lines.map(traced)
    before = len(traces)
    assert has_vectorised(prepared(rows)) and len(traces) == before


@pytest.mark.parametrize(
    "shape",
    [
        lambda x, y: (x, y, None),
        lambda x, y: ({"b": x, "a": y}, (y,)),
        lambda x, y: x,
        lambda x, y: ((x, y), {"one": tf.constant([1.0, 2.0])}, None),
        lambda x, y: ({"inner": {"x": x}},),
    ],
    ids=["no weight", "dict", "bare", "constant", "one part"],
)
def test_the_structure_of_an_element_is_kept(lines: Any, shape: Any) -> None:
    rows = lines.map(parse).map(tf.autograph.experimental.do_not_convert(shape))
    result = prepared(rows)
    assert has_vectorised(result)
    assert result.dataset.element_spec == rows.batch(8).element_spec
    for expected, got in zip(rows.batch(8), result.dataset, strict=True):
        tf.nest.assert_same_structure(expected, got)
        for one, other in zip(tf.nest.flatten(expected), tf.nest.flatten(got), strict=True):
            assert one is other is None or np.array_equal(one, other)


@pytest.mark.parametrize("reshuffle", [True, False])
@pytest.mark.parametrize("global_seed", [None, 7])
def test_a_shuffle_keeps_its_order_over_epochs(lines: Any, reshuffle: bool, global_seed: int | None) -> None:
    def rows() -> Any:
        if global_seed is not None:
            tf.random.set_seed(global_seed)
        seed = 3 if global_seed is None else None
        return lines.map(parse).shuffle(20, seed=seed, reshuffle_each_iteration=reshuffle)

    plain, result = rows().batch(8), prepared(rows())
    assert has_vectorised(result)
    epochs = [values(plain) for _ in range(3)]
    assert epochs == [values(result.dataset) for _ in range(3)]
    assert (epochs[0] == epochs[1]) is not reshuffle
    assert traits_of(result.dataset).shuffles == 1


def test_preparing_draws_no_random_numbers(lines: Any) -> None:
    def next_draw(*, prepare_first: bool) -> float:
        tf.random.set_seed(5)
        rows = lines.map(parse).shuffle(10)
        if prepare_first:
            prepared(rows)
        return float(tf.random.uniform([]))

    assert next_draw(prepare_first=True) == next_draw(prepare_first=False)


@pytest.mark.parametrize(
    "steps",
    [
        lambda rows: rows.take(21),
        lambda rows: rows.skip(5),
        lambda rows: rows.shard(3, 1),
        lambda rows: rows.shuffle(9, seed=1).repeat(3),
        lambda rows: rows.repeat(2).shuffle(200, seed=4).take(60).prefetch(3),
        lambda rows: rows.shuffle(9, seed=1).map(lambda x, y: (x[:2], y)).shuffle(5, seed=2),
        lambda rows: rows.with_options(tf.data.Options()),
    ],
    ids=["take", "skip", "shard", "repeat", "many", "two maps", "options"],
)
def test_steps_after_the_map_pick_the_same_rows(lines: Any, steps: Any) -> None:
    result = prepared(steps(lines.map(parse)))
    assert has_vectorised(result)
    assert values(result.dataset) == values(steps(lines.map(parse)).batch(8))
    assert result.dataset.cardinality() == steps(lines.map(parse)).batch(8).cardinality()


@pytest.mark.parametrize(
    ("steps", "done"),
    [
        (lambda rows: rows.filter(lambda x, y: y > 0), "batches of 8, maps in parallel, prefetched"),
        (lambda rows: rows.cache(), "batches of 8, maps in parallel, prefetched"),
        (
            lambda rows: rows.map(lambda x, y: (tf.math.log(x), y)),
            "batches of 8 (not vectorised: the map uses Log), maps in parallel, prefetched",
        ),
        (
            lambda rows: rows.map(lambda x, y: tf.numpy_function(lambda v: v, [y], tf.float32)),
            "batches of 8 (not vectorised: the map uses PyFunc), maps in parallel, prefetched",
        ),
    ],
    ids=["filter", "cache", "log", "python"],
)
def test_what_cannot_be_vectorised_is_left_as_it_is(lines: Any, steps: Any, done: str) -> None:
    rows = steps(lines.map(parse))
    result = prepared(rows)
    assert result.done == done
    assert str(values(result.dataset)) == str(values(rows.batch(8)))


def test_only_the_maps_after_a_filter_are_moved(lines: Any) -> None:
    rows = lines.map(parse).filter(lambda x, y: y > 0).map(lambda x, y: (x * 3.0, y))
    result = prepared(rows)
    assert has_vectorised(result) and values(result.dataset) == values(rows.batch(8))


def test_rows_of_unknown_length_are_left_to_the_map_that_cuts_them() -> None:
    rows = tf.data.Dataset.range(3, 20).map(tf.zeros).map(lambda row: row[:2])
    assert values(prepared(rows).dataset) == values(rows.batch(8))


def test_the_callbacks_own_batches_are_kept(lines: Any) -> None:
    batches = lines.batch(7, drop_remainder=True).map(parse_batch)
    result = prepared(batches, already=True)
    assert result.done == "batched by the callback, maps in parallel, prefetched"
    assert values(result.dataset) == values(batches)


def test_a_row_map_before_the_callbacks_own_batch_is_vectorised(lines: Any) -> None:
    batches = lines.map(parse).batch(7, drop_remainder=True).repeat(2).prefetch(1)
    result = prepared(batches, already=True)
    assert has_vectorised(result)
    assert result.dataset.element_spec == batches.element_spec
    assert values(result.dataset) == values(batches)


def test_everything_can_be_switched_off(lines: Any) -> None:
    result = prepared(lines.map(parse), vectorize=False, parallel=False, prefetch=0)
    assert result.done == "batches of 8"
    options = result.dataset.options()
    assert options.experimental_optimization.map_parallelization is False
    assert options.experimental_optimization.inject_prefetch is False
    assert values(result.dataset) == values(lines.map(parse).batch(8))


def test_numbers_are_honoured(lines: Any) -> None:
    result = prepared(lines.map(parse), parallel=3, prefetch=2)
    assert result.done == "batches of 8, row maps vectorised, maps on up to 3 threads, prefetched"
    prefetch = result.dataset._input_dataset
    assert int(prefetch._buffer_size) == 2
    assert int(prefetch._input_dataset._num_parallel_calls) == 3
    assert result.dataset.options().autotune.cpu_budget == 3


def test_sharding_is_left_to_us(lines: Any) -> None:
    policy = prepared(lines.map(parse)).dataset.options().experimental_distribute.auto_shard_policy
    assert policy == tf.data.experimental.AutoShardPolicy.OFF


def test_a_random_map_gives_the_numbers_it_gave_before(lines: Any) -> None:
    def noisy(x: Any, y: Any) -> Any:
        return x + tf.random.uniform([3], seed=4), y

    def rows() -> Any:
        tf.random.set_seed(1)
        return lines.map(parse).map(noisy)

    def batches() -> Any:
        tf.random.set_seed(1)
        return lines.batch(8).map(parse_batch).map(lambda x, y: (x + tf.random.uniform([], seed=4), y))

    for _ in range(3):
        assert values(prepared(rows()).dataset) == values(rows().batch(8))
        assert values(prepared(batches(), already=True).dataset) == values(batches())


@pytest.mark.parametrize(
    ("function", "config", "becomes"),
    [
        (lambda x: x + 1, {}, "ParallelMap"),
        (lambda x: x + 1, {"parallel": 2}, "ParallelMap"),
        (lambda x: x + 1, {"parallel": False}, "Map"),
        (lambda x: x + tf.random.uniform([], maxval=9, dtype=tf.int64), {}, "Map"),
    ],
    ids=["auto", "number", "switched off", "random"],
)
def test_only_maps_without_state_become_parallel(function: Any, config: dict[str, Any], becomes: str) -> None:
    batches = tf.data.Dataset.range(9).batch(2).apply(testing.assert_next([becomes]))
    assert len(values(prepared(batches.map(function), already=True, **config).dataset)) == 5


@pytest.mark.parametrize("form", ["rows", "own batches", "left alone"])
def test_a_saved_position_leads_to_the_same_batches_in_this_epoch_and_the_next(lines: Any, form: str) -> None:
    def build() -> Any:
        shuffled = lines.repeat(30).map(parse).shuffle(20, seed=2)
        if form == "own batches":
            return prepared(lines.repeat(30).shuffle(20, seed=2).batch(8).map(parse_batch), already=True).dataset
        return prepared(shuffled, vectorize=form == "rows").dataset

    dataset, again = build(), build()
    iterator, restored = iter(dataset), iter(again)
    for _ in range(3):
        next(iterator)
    state = gen_dataset_ops.serialize_iterator(iterator._iterator_resource, external_state_policy=2)
    gen_dataset_ops.deserialize_iterator(restored._iterator_resource, state)
    assert values(restored) == values(iterator)
    assert values(again) == values(dataset)


def test_a_wrong_row_fails_with_the_users_error(lines: Any) -> None:
    rows = lines.concatenate(tf.data.Dataset.from_tensors("1 2 x 4")).map(parse)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid float"):
        values(prepared(rows).dataset)


@pytest.mark.parametrize("number", [0, 3])
def test_a_number_of_batches_wins_over_the_users_own_prefetch(lines: Any, number: int) -> None:
    rows = lines.batch(8).map(parse_batch).prefetch(50)
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    result = prepared(rows.with_options(options), already=True, prefetch=number)
    prefetches = [node for node in _chain(result.dataset) if is_prefetch(node)]
    assert [int(node._buffer_size) for node in prefetches] == ([number] if number else [])
    assert result.dataset.options().threading.private_threadpool_size == 2


def test_the_users_own_prefetch_stays_where_the_job_names_no_number(lines: Any) -> None:
    result = prepared(lines.batch(8).prefetch(50), already=True)
    assert [int(node._buffer_size) for node in _chain(result.dataset) if is_prefetch(node)] == [50]


def _chain(dataset: Any) -> list[Any]:
    return [dataset, *(node for below in dataset._inputs() for node in _chain(below))]
