"""Datasets with several shuffles: one order for each epoch, from wherever it is begun."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runyard.bridge import start_tensorflow
from runyard.data.epoch_orders import has_orders, order_of_epoch
from runyard.data.position import DataPosition
from runyard.data.tree import Resume, how_to_resume, traits_of

tf = start_tensorflow(2)
_Dataset = tf.data.Dataset


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    for number in range(5):
        (tmp_path / f"part-{number}.csv").write_text("".join(f"{10 * number + row}\n" for row in range(4)))
    return str(tmp_path / "*.csv")


def _numbers(count: int = 13) -> Any:
    return _Dataset.range(count)


def _of_numbers(make: Callable[[], Any]) -> Callable[[str], Any]:
    return lambda _: make()


_TWO_SHUFFLES: dict[str, Callable[[str], Any]] = {
    "of rows and of batches": _of_numbers(lambda: _numbers().shuffle(13).batch(2).shuffle(4)),
    "of files and of rows": lambda pattern: (
        _Dataset.list_files(pattern).interleave(tf.data.TextLineDataset, cycle_length=2).shuffle(5).batch(2)
    ),
    "of names given to a reader": lambda pattern: (
        tf.data.TextLineDataset(_Dataset.list_files(pattern)).shuffle(30).batch(3)
    ),
    "of what is zipped": _of_numbers(
        lambda: _Dataset.zip(({"a": _numbers().shuffle(5)}, _numbers().shuffle(9, seed=3))).batch(3)
    ),
    "one of them always the same": _of_numbers(
        lambda: _numbers(30).shuffle(9, reshuffle_each_iteration=False).batch(3).shuffle(9).shuffle(2)
    ),
    "with all that can stand between": _of_numbers(
        lambda: (
            _numbers(40)
            .shuffle(7)
            .skip(1)
            .map(lambda row: row + 1)
            .filter(lambda row: row % 5 != 0)
            .shuffle(4)
            .map(lambda row: row * 2, num_parallel_calls=2)
            .batch(4)
            .unbatch()
            .take(20)
            .shard(2, 1)
            .padded_batch(2)
            .prefetch(2)
        )
    ),
}


def _read(iterator: Any, count: int | None = None) -> list[Any]:
    found: list[Any] = []
    while count is None or len(found) < count:
        batch = iterator.get_next_as_optional()
        if not batch.has_value():
            break
        found.append([part.numpy().tolist() for part in tf.nest.flatten(batch.get_value())])
    return found


@pytest.mark.parametrize("make", _TWO_SHUFFLES.values(), ids=_TWO_SHUFFLES.keys())
def test_orders_are_those_that_tensorflow_would_have_drawn(make: Callable[[str], Any], pattern: str) -> None:
    tf.random.set_seed(4)
    dataset = make(pattern)
    drawn = [_read(iter(dataset)) for _ in range(6)]
    assert len({str(order) for order in drawn}) == 6
    for epoch in (5, 0, 3, 1, 1, 2, 4):
        assert _read(iter(order_of_epoch(dataset, epoch))) == drawn[epoch]


@pytest.mark.parametrize("make", _TWO_SHUFFLES.values(), ids=_TWO_SHUFFLES.keys())
def test_a_position_after_every_batch_is_found_again(make: Callable[[str], Any], pattern: str) -> None:
    """Without a prefetch, so that inner steps end at batches of their own, whatever the threads do."""

    def made() -> DataPosition:
        tf.random.set_seed(4)
        return DataPosition(make(pattern), say=pytest.fail)

    def epoch_of(position: DataPosition) -> list[Any]:
        found = _read(position.iterator)
        position.end_epoch()
        return found

    whole = made()
    expected = [epoch_of(whole) for _ in range(4)]
    for batches in range(len(expected[1]) + 1):
        first = made()
        epoch_of(first)
        first.advance(len(_read(first.iterator, batches)))
        again = made()
        again.restore(first.tensors(), first.values())
        assert [epoch_of(again) for _ in range(3)] == [expected[1][batches:], *expected[2:]], batches


@pytest.mark.parametrize(
    "make",
    [
        lambda: _numbers().shuffle(9).take_while(lambda row: row < 90).batch(2).shuffle(3),
        lambda: _numbers().shuffle(9).unique().shuffle(3),
    ],
)
def test_where_orders_cannot_be_built_all_is_read_again(make: Callable[[], Any]) -> None:
    traits = traits_of(make())
    assert not has_orders(make())
    assert (traits.obstacle, how_to_resume(traits, saveable=True)) == ("several shuffles in it", Resume.REPLAY)


def test_what_has_one_order_only_stays_the_same_object() -> None:
    dataset = _numbers().shuffle(3, reshuffle_each_iteration=False).batch(2)
    assert order_of_epoch(dataset, 7) is dataset
