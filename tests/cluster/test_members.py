import json

import pytest

from runyard.cluster import Cluster, Layout, Member, Place, Role
from runyard.errors import ConfigError

WORKERS = ("a:1", "b:1")


@pytest.mark.parametrize(
    ("cluster", "chief", "workers"),
    [
        (Cluster(worker=WORKERS), Member(Role.WORKER, 0), 2),
        (Cluster(chief=("c:1",), worker=WORKERS), Member(Role.CHIEF, 0), 3),
        (Cluster(chief=("c:1",), worker=WORKERS, ps=("p:1",)), Member(Role.CHIEF, 0), 2),
        (Cluster(worker=WORKERS, ps=("p:1",)), Member(Role.WORKER, 0), 2),
        (Cluster(chief=("c:1",)), Member(Role.CHIEF, 0), 1),
    ],
)
def test_one_member_is_the_chief_and_those_that_train_are_counted(
    cluster: Cluster, chief: Member, workers: int
) -> None:
    assert [member for member in cluster.members() if Place(cluster, member).is_chief] == [chief]
    assert cluster.number_of_workers == workers


def test_a_lone_worker_has_nobody_to_talk_to() -> None:
    assert Place(Cluster(worker=("a:1",)), Member(Role.WORKER, 0)).is_lone
    assert not Place(Cluster(worker=WORKERS), Member(Role.WORKER, 0)).is_lone


def test_tensorflow_is_told_what_it_expects() -> None:
    place = Place(Cluster(chief=("c:1",), worker=WORKERS), Member(Role.WORKER, 1))
    assert json.loads(place.tf_config()) == {
        "cluster": {"chief": ["c:1"], "worker": ["a:1", "b:1"]},
        "task": {"type": "worker", "index": 1},
    }


@pytest.mark.parametrize(
    ("addresses", "words"),
    [
        ({"worker": ("a:1", "a:1")}, "worker 0 and worker 1 have the same address: a:1"),
        ({"worker": ("a:1",), "ps": ("a:1",)}, "worker 0 and ps 0 have the same address: a:1"),
        ({"chief": ("a:1", "b:1")}, "a cluster has one chief, not 2: a:1, b:1"),
        ({"ps": ("a:1",)}, "a cluster needs a worker"),
        ({"worker": ("a",)}, "the address of worker 0 is 'a'; it must be host:port"),
        ({"worker": (":1",)}, "the address of worker 0 is ':1'; it must be host:port"),
        ({"worker": ("a:0",)}, "the address of worker 0 is 'a:0'; its port must be 1 to 65535"),
        ({"worker": ("a:65536",)}, "the address of worker 0 is 'a:65536'; its port must be 1 to 65535"),
        ({"worker": ("a:-1",)}, "the address of worker 0 is 'a:-1'; its port must be 1 to 65535"),
        ({"worker": ("a:x",)}, "the address of worker 0 is 'a:x'; it must be host:port"),
        ({"worker": ("a b:1",)}, "the address of worker 0 is 'a b:1'; it must be host:port"),
    ],
)
def test_clusters_that_make_no_sense(addresses: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Cluster(**addresses)
    assert caught.value.message == words


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (Member(Role.WORKER, 2), "this process is worker 2, but the cluster has worker 0 to 1 only"),
        (Member(Role.WORKER, -1), "this process is worker -1, but the cluster has worker 0 to 1 only"),
        (Member(Role.PS, 0), "this process is ps 0, but the cluster has no ps"),
    ],
)
def test_places_that_do_not_exist(member: Member, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Place(Cluster(worker=WORKERS), member)
    assert caught.value.message == words


def test_ipv6_addresses_are_addresses() -> None:
    assert Cluster(worker=("[::1]:2222",)).worker == ("[::1]:2222",)


@pytest.mark.parametrize(
    ("layout", "members", "servers"),
    [
        (Layout(workers=2), ["worker 0", "worker 1"], []),
        (Layout(workers=1, ps=1), ["chief 0", "worker 0", "ps 0"], ["worker 0", "ps 0"]),
        (Layout(workers=2, ps=1, chief=False), ["worker 0", "worker 1", "ps 0"], ["ps 0"]),
    ],
)
def test_a_layout_says_who_is_waited_for(layout: Layout, members: list[str], servers: list[str]) -> None:
    assert list(map(str, layout.members())) == members
    assert [str(member) for member in layout.members() if layout.is_server(member)] == servers


def test_a_layout_becomes_a_cluster() -> None:
    assert Layout(workers=2, ps=1).on([1, 2, 3, 4]) == Cluster(
        chief=("127.0.0.1:1",), worker=("127.0.0.1:2", "127.0.0.1:3"), ps=("127.0.0.1:4",)
    )
