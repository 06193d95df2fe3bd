"""Members wait for each other where signals are heard, and leave the address free."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from runyard.cluster import Cluster, Layout, Member, Place, Role
from runyard.cluster.gathering import gather
from runyard.cluster.ports import HeldPorts
from runyard.errors import AddressInUse

ROOT = Path(__file__).parents[2]


def a_cluster(workers: int) -> Cluster:
    with HeldPorts(workers) as ports:
        return Layout(workers=workers).on(ports.numbers)


def gathering(cluster: Cluster, index: int) -> threading.Thread:
    place = Place(cluster, list(cluster.members())[index])
    thread = threading.Thread(target=gather, args=(place,), kwargs={"tell": pytest.fail}, daemon=True)
    thread.start()
    return thread


def address(cluster: Cluster) -> tuple[str, int]:
    first, *_ = cluster.members()
    host, _, port = cluster.address(first).rpartition(":")
    return host, int(port)


def connected(cluster: Cluster) -> socket.socket:
    while True:
        try:
            return socket.create_connection(address(cluster))
        except OSError:
            time.sleep(0.01)


def test_nobody_goes_on_before_all_are_there_whoever_else_calls() -> None:
    cluster = a_cluster(3)
    threads = [gathering(cluster, 0)]
    with connected(cluster) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\n")
        assert stranger.recv(10) == b""
    with connected(cluster) as lost:
        lost.sendall(b"runyard worker 1\n")
    threads.append(gathering(cluster, 2))
    threads[1].join(0.5)
    assert [thread.is_alive() for thread in threads] == [True, True]
    threads.append(gathering(cluster, 1))
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    with socket.create_server(address(cluster)):
        pass


@pytest.mark.parametrize("index", [0, 1])
def test_a_taken_port_is_told(index: int) -> None:
    cluster = a_cluster(2)
    member = list(cluster.members())[index]
    with (
        socket.create_server(("", cluster.endpoint(member)[1])),
        pytest.raises(AddressInUse, match="cannot listen at") as caught,
    ):
        gather(Place(cluster, member), tell=pytest.fail)
    assert f"end process {os.getpid()} (" in str(caught.value.hint)
    assert f"give {member} another one, in TF_CONFIG or --worker_hosts" in str(caught.value.hint)


@pytest.mark.parametrize("index", [0, 1])
def test_one_that_waits_says_for_whom_and_ends_when_it_is_told_to(index: int) -> None:
    cluster = a_cluster(2)
    code = (
        "import sys; from runyard.cluster import *; from runyard.cluster.gathering import gather\n"
        f"gather(Place({cluster!r}, {list(cluster.members())[index]!r}), tell=lambda text: print(text, flush=True))"
    ).replace("<Role.WORKER: 'worker'>", "Role.WORKER")
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        other = Member(Role.WORKER, 1 - index)
        assert process.stdout.readline() == f"waiting for {other} at {cluster.address(other)}\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGTERM
