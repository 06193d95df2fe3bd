from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.training.flat_rules import TOGETHER, flat_places, is_only_read


def variable_of(size: int, *, keras: KerasVersion = 2, dtype: str = "float32", constraint: Any = None) -> Any:
    if keras == 2:
        return tf.Variable(tf.zeros([size], dtype), constraint=constraint)
    variable = keras_module(3).Variable(tf.zeros([size], dtype), dtype=dtype)
    variable.constraint = constraint
    return variable


def gradient_of(size: int, dtype: str = "float32") -> Any:
    return tf.zeros([size], dtype)


def places_of(*sizes: int) -> tuple[int, ...]:
    return flat_places([gradient_of(size) for size in sizes], [variable_of(size) for size in sizes])


def test_small_variables_go_together() -> None:
    assert places_of(3, 4, 5) == (0, 1, 2)


def test_two_are_too_few() -> None:
    assert places_of(3, 4) == ()


def test_the_smallest_have_first_choice() -> None:
    assert places_of(TOGETHER, 3, TOGETHER // 2, 4) == (1, 2, 3)


def test_a_vector_may_be_full() -> None:
    assert places_of(TOGETHER - 3, 1, 2) == (0, 1, 2)
    assert places_of(TOGETHER - 2, 1, 2) == ()


@pytest.mark.parametrize(
    "special",
    [
        (None, variable_of(2)),
        (tf.IndexedSlices(tf.zeros([1]), [0], [2]), variable_of(2)),
        (gradient_of(2, "float64"), variable_of(2, dtype="float64")),
        (gradient_of(2, "float16"), variable_of(2)),
        (gradient_of(2), variable_of(2, constraint=tf.abs)),
        (gradient_of(2), variable_of(2, keras=3, constraint=tf.abs)),
    ],
    ids=["no gradient", "rows", "double", "half gradient", "constraint", "constraint of Keras 3"],
)
def test_a_special_variable_stays_alone(special: tuple[Any, Any]) -> None:
    gradient, variable = special
    plain = [variable_of(size) for size in (3, 4, 5)]
    assert flat_places([gradient, *map(gradient_of, (3, 4, 5))], [variable, *plain]) == (1, 2, 3)


def seen(change: Any) -> bool:
    """Whether a variable counts as only read in a graph that does this with it."""
    variable, found = tf.Variable([1.0, 2.0]), []

    @tf.function(autograph=False)
    def graph() -> None:
        change(variable)
        found.append(is_only_read(variable))

    graph()
    return found[-1]


def test_reading_is_no_change() -> None:
    assert seen(lambda variable: variable + 1.0)
    assert seen(lambda variable: tf.gather(variable, [0]))
    assert seen(lambda variable: tf.function(lambda: variable * 2.0)())
    assert seen(lambda variable: tf.cond(variable[0] > 0.0, lambda: variable * 2.0, lambda: variable * 3.0))


def test_a_change_is_seen_wherever_it_happens() -> None:
    assert not seen(lambda variable: variable.assign([3.0, 4.0]))
    assert not seen(lambda variable: variable.scatter_add(tf.IndexedSlices([1.0], [0])))
    assert not seen(lambda variable: tf.function(lambda: variable.assign_add([1.0, 1.0]))())
    assert not seen(
        lambda variable: tf.cond(variable[0] > 0.0, lambda: variable.assign_add([1.0, 1.0]), variable.read_value)
    )
