"""Whole files for each worker, whatever the callback makes of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition
from runyard.data.sharding import Shard, ShardPolicy

FILES, ROWS = 5, 4


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Text files of uneven size: the rows of file 2 are `20`, `21`, ..."""
    made = [tmp_path / f"part-{number}.csv" for number in range(FILES)]
    for number, path in enumerate(made):
        path.write_text("".join(f"{10 * number + row}\n" for row in range(ROWS + number % 2)))
    return [str(path) for path in made]


ALL = [10 * number + row for number in range(FILES) for row in range(ROWS + number % 2)]


def number_of(line: Any) -> Any:
    return tf.strings.to_number(line, tf.int64)


def lines(name: Any) -> Any:
    return tf.data.TextLineDataset(name)


def contents(name: Any) -> Any:
    return tf.strings.split(tf.strings.strip(tf.io.read_file(name)), "\n")


SHAPES: dict[str, Callable[[list[str]], Any]] = {
    "list of names": lambda names: tf.data.TextLineDataset(names).map(number_of),
    "parallel reads": lambda names: tf.data.TextLineDataset(names, num_parallel_reads=2).map(number_of),
    "tuned reads": lambda names: tf.data.TextLineDataset(names, num_parallel_reads=tf.data.AUTOTUNE).map(number_of),
    "flat_map": lambda names: tf.data.Dataset.from_tensor_slices(names).flat_map(lines).map(number_of),
    "interleave": lambda names: (
        tf.data.Dataset.from_tensor_slices(names).interleave(lines, cycle_length=2, block_length=2).map(number_of)
    ),
    "parallel interleave": lambda names: (
        tf.data.Dataset.from_tensor_slices(names)
        .interleave(lines, cycle_length=2, num_parallel_calls=2)
        .map(number_of, num_parallel_calls=2)
    ),
    "shuffled list_files": lambda names: (
        tf.data.Dataset.list_files(str(Path(names[0]).parent / "*.csv"), seed=3).interleave(lines).map(number_of)
    ),
    "filtered, shuffled, cached, in batches": lambda names: (
        tf.data.TextLineDataset(names)
        .filter(lambda line: tf.strings.length(line) > 0)
        .map(number_of)
        .cache()
        .shuffle(9, seed=1)
        .batch(3)
        .prefetch(1)
        .unbatch()
        .with_options(tf.data.Options())
    ),
    "padded": lambda names: tf.data.TextLineDataset(names).map(lambda x: [number_of(x)]).padded_batch(2).unbatch(),
    "a file per row": lambda names: (
        tf.data.Dataset.from_tensor_slices((names, list(range(FILES)))).map(lambda name, _: contents(name)).unbatch()
    ).map(number_of),
    "names that are filtered": lambda names: (
        tf.data.Dataset.from_tensor_slices([*names, "x"])
        .filter(lambda name: name != "x")
        .flat_map(lines)
        .map(number_of)
    ),
}


def parts(make: Callable[[], Any], *, count: int, **options: Any) -> list[list[int]]:
    found: list[list[int]] = []
    for index in range(count):
        tf.random.set_seed(7)
        part = Shard(index, count).of(make(), policy=ShardPolicy.FILE, **options)
        found.append([int(np.squeeze(row)) for row in part.as_numpy_iterator()])
    return found


def refuse(text: str) -> None:
    raise AssertionError(text)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [2, 3])
def test_every_row_is_in_one_part_and_every_file_in_one(shape: str, count: int, names: list[str]) -> None:
    found = parts(lambda: SHAPES[shape](names), count=count, remark=refuse)
    assert sorted(row for part in found for row in part) == ALL
    files = [{row // 10 for row in part} for part in found]
    assert sum(map(len, files)) == FILES
    assert all(files)


def test_files_of_records(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number}.bin") for number in range(3)]
    for number, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for row in range(3):
                writer.write(str(10 * number + row).encode())
    records = parts(lambda: tf.data.TFRecordDataset(paths).map(number_of), count=2, remark=refuse)
    assert records == [[0, 1, 2, 20, 21, 22], [10, 11, 12]]
    for number, path in enumerate(paths):
        Path(path).write_text(f"{10 * number:03d}{10 * number + 1:03d}")
    fixed = parts(lambda: tf.data.FixedLengthRecordDataset(paths, 3).map(number_of), count=2, remark=refuse)
    assert fixed == [[0, 1, 20, 21], [10, 11]]


def test_names_that_repeat_for_ever_are_divided_before_they_do(names: list[str]) -> None:
    endless = tf.data.Dataset.from_tensor_slices(names).repeat().flat_map(lines).map(number_of)
    part = Shard(1, 2).of(endless, policy=ShardPolicy.FILE, remark=refuse)
    assert {int(row) // 10 for row in part.take(40).as_numpy_iterator()} == {1, 3}


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda names: tf.data.TextLineDataset(names[:1]), "there is 1 for 2 workers"),
        (lambda names: tf.data.Dataset.range(4), "the data begin with Range, which opens none"),
        (lambda names: tf.data.Dataset.range(4).map(lambda row: row), "the data begin with Range, which opens none"),
        (lambda names: tf.data.TextLineDataset(names).skip(1), "skip() counts the rows of all of them"),
        (lambda names: tf.data.TextLineDataset(names).take(9).batch(2), "take() counts the rows of all of them"),
        (lambda names: tf.data.TextLineDataset(names).cache(names[0] + ".cache").batch(2), "Cache is in the way"),
    ],
)
def test_where_files_cannot_be_divided_rows_are_and_it_is_told(make: Any, why: str, names: list[str]) -> None:
    said: list[str] = []
    found = [
        list(Shard(index, 2).of(make(names), policy=ShardPolicy.FILE, remark=said.append).as_numpy_iterator())
        for index in (0, 1)
    ]
    assert [len(part) for part in found] != [0, 0]
    assert why in said[0]
    assert said[0].endswith("; rows are divided instead")


@pytest.mark.parametrize("shape", ["list of names", "parallel interleave", "shuffled list_files"])
def test_a_position_in_files_of_ones_own_is_found_again(shape: str, names: list[str]) -> None:
    def made() -> DataPosition:
        tf.random.set_seed(7)
        part = Shard(0, 2).of(SHAPES[shape](names).shuffle(3), policy=ShardPolicy.FILE)
        batches = prepare(part, batch_size=2, already_batched=False, config=Input())
        return DataPosition(batches.dataset, say=refuse)

    def rest(position: DataPosition) -> list[Any]:
        found = _left(position)
        position.end_epoch()
        return [*found, *_left(position)]

    first = made()
    for _ in range(2):
        next(first.iterator)
        first.advance(1)
    tensors, values = first.tensors(), first.values()
    second = made()
    second.restore(tensors, values)
    assert rest(first) == rest(second) != []


def _left(position: DataPosition) -> list[Any]:
    return [batch.numpy().tolist() for batch in position.iterator]


def test_files_of_ones_own_are_read_as_fast_as_all_files(names: list[str]) -> None:
    rows = tf.data.TextLineDataset(names).map(lambda line: tf.io.decode_csv(line, [[0]])[0]).shuffle(5)
    part = Shard(0, 2).of(rows, policy=ShardPolicy.FILE, remark=refuse)
    assert "row maps vectorised" in prepare(part, batch_size=4, already_batched=False, config=Input()).done
