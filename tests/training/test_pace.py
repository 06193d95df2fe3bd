"""How many steps go into a call: fed with timings that are made up."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from runyard.training.boundaries import At, Every, steps_to_next
from runyard.training.pace import Pace


def sizes(pace: Pace, *, seconds_of_step: Callable[[int], float], calls: int) -> list[int]:
    found: list[int] = []
    done = 0
    for _ in range(calls):
        steps = pace.steps
        pace.learn(steps=steps, seconds=sum(seconds_of_step(done + step) for step in range(steps)))
        done += steps
        found.append(steps)
    return found


def test_calls_grow_to_a_quarter_of_a_second() -> None:
    found = sizes(Pace(), seconds_of_step=lambda step: 0.001, calls=8)
    assert found[0] == 1 and found == sorted(found)
    assert 200 <= found[-1] <= 250


def test_calls_shrink_when_steps_get_slow() -> None:
    found = sizes(Pace(), seconds_of_step=lambda step: 0.001 if step < 1000 else 0.05, calls=12)
    assert max(found) > 200
    assert found[-1] == 5


def test_slow_steps_go_one_by_one() -> None:
    assert set(sizes(Pace(), seconds_of_step=lambda step: 2.0, calls=5)) == {1}


def test_a_slow_start_is_forgotten() -> None:
    """The first call traces."""
    assert sizes(Pace(), seconds_of_step=lambda step: 0.0001 if step else 5.0, calls=8)[-1] > 1000


def test_the_users_number_stays() -> None:
    assert set(sizes(Pace(fixed=7), seconds_of_step=lambda step: 1.0, calls=4)) == {7}


def test_a_call_that_was_cut_does_not_let_the_next_ones_grow() -> None:
    pace = Pace()
    sizes(pace, seconds_of_step=lambda step: 0.001, calls=8)
    before = pace.steps
    pace.learn(steps=3, seconds=0.0001)
    assert pace.steps == before


def test_no_call_takes_half_a_second_once_the_speed_is_known() -> None:
    pace = Pace()
    for _ in range(50):
        steps = pace.steps
        pace.learn(steps=steps, seconds=steps * 0.01)
        assert steps * 0.01 <= 0.5


BOUNDARIES = st.lists(st.one_of(st.builds(Every, st.integers(1, 50)), st.builds(At, st.integers(0, 500))), max_size=4)


@given(boundaries=BOUNDARIES, at_most=st.integers(1, 200))
def test_no_call_crosses_a_boundary(boundaries: list[Every | At], at_most: int) -> None:
    step, ends = 0, {0}
    while step < 500:
        steps = steps_to_next(boundaries, step=step, at_most=at_most)
        assert 1 <= steps <= at_most
        step += steps
        ends.add(step)
    for boundary in boundaries:
        wanted = range(0, 500, boundary.steps) if isinstance(boundary, Every) else [boundary.step]
        assert ends.issuperset(place for place in wanted if place < 500)


def test_without_boundaries_a_call_is_as_long_as_it_may_be() -> None:
    assert steps_to_next([], step=3, at_most=100) == 100
    assert steps_to_next([At(3)], step=3, at_most=100) == 100
