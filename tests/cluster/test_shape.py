import pytest

from runyard.cluster import Cluster, Shape


def test_a_shape_is_told_in_words() -> None:
    assert str(Shape(1)) == "1 worker"
    assert str(Shape(4, 1)) == "4 workers and 1 parameter server"
    assert Cluster(chief=("a:1",), worker=("b:1", "c:1")).shape == Shape(3)
    assert Cluster(chief=("a:1",), worker=("b:1", "c:1"), ps=("d:1",)).shape == Shape(2, 1)


@pytest.mark.parametrize(
    ("asked", "found", "told"),
    [
        (Shape(4), Shape(2), "asked for are 4 workers, but TF_CONFIG describes 2 workers, and wins"),
        (Shape(2, 1), Shape(2), "but TF_CONFIG describes 2 workers and no parameter server, and wins"),
        (Shape(2), Shape(2, 2), "asked for are 2 workers and no parameter server, but TF_CONFIG describes 2 workers"),
    ],
)
def test_a_cluster_that_is_there_wins_and_says_so(asked: Shape, found: Shape, told: str) -> None:
    assert told in (asked.overruled_by(found, source="TF_CONFIG") or "")
    assert asked.overruled_by(asked, source="TF_CONFIG") is None
