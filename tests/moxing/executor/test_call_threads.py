import pytest

from moxing.tensorflow.executor.call_threads import CallThreads


def _is_in_one(threads: CallThreads) -> bool:
    return threads.options.inter_op_thread_pool == -1


def _learned(*, pool: float, one: float) -> list[bool]:
    """Which way each call goes, when a step takes so many seconds."""
    threads, ways = CallThreads(), []
    for _ in range(14):
        ways.append(_is_in_one(threads))
        threads.learn(steps=5, seconds=5 * (one if ways[-1] else pool))
    return ways


@pytest.mark.parametrize(("one", "stays"), [(0.0004, True), (0.0008, False)])
def test_of_small_steps_both_ways_are_tried_and_the_faster_one_stays(one: float, stays: bool) -> None:
    ways = _learned(pool=0.0006, one=one)
    assert not any(ways[:3])
    assert ways[2:10].count(True) == 4
    assert ways[10:] == [stays] * 4


def test_steps_that_take_long_keep_the_pool() -> None:
    assert not any(_learned(pool=0.5, one=0.1))
