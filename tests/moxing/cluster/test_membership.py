"""Who a process is in a cluster, and what it says while it waits for others."""

import json
import socket
import threading
from dataclasses import dataclass
from typing import Any

import pytest

from runyard.cluster import Cluster, Member, Place, Role
from runyard.errors import ConfigError


@dataclass(frozen=True)
class Flags:
    job_name: str = ""
    task_index: int = 0
    ps_hosts: str = ""
    worker_hosts: str = ""
    sync_replicas: bool = True
    chief_inc_global_step: bool = False


def place(flags: Flags, *, training: bool = True) -> Any:
    from moxing.tensorflow.executor.cluster import place_in_cluster

    return place_in_cluster("the local place", flags=flags, training=training)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _tensorflow(tensorflow: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)


def test_a_process_that_was_told_nothing_works_alone() -> None:
    assert place(Flags()) == "the local place"
    assert place(Flags(job_name="worker", worker_hosts="a:1")) == "the local place"


def test_only_the_first_worker_evaluates(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"ps_hosts": "a:1", "worker_hosts": "a:2,b:2"}
    assert place(Flags("worker", 0, **cluster), training=False) == "the local place"
    assert place(Flags("worker", 1, **cluster), training=False) is None
    config = {"cluster": {"chief": ["a:2"], "worker": ["b:2"], "ps": ["a:1"]}, "task": {"type": "chief", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert place(Flags(), training=False) == "the local place"
    config["task"] = {"type": "worker", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert place(Flags(), training=False) is None


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(ConfigError, match="2 workers need a parameter server"):
        place(Flags("worker", 0, worker_hosts="a:1,b:1"))
    with pytest.raises(ConfigError, match="worker 0 to 1 only"):
        place(Flags("worker", 2, ps_hosts="c:1", worker_hosts="a:1,b:1"))
    with pytest.raises(ConfigError, match="without --job_name"):
        place(Flags(ps_hosts="c:1", worker_hosts="a:1,b:1"))


def test_waiting_for_a_server_says_what_may_be_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The wrong task_index on the wrong machine: it waited for ever, and its lines said nothing of that."""
    from moxing.tensorflow.executor import cluster_waiting
    from moxing.tensorflow.executor.lines import lines_shown

    monkeypatch.setattr(cluster_waiting, "_FIRST_WORD", 0.0)
    monkeypatch.setenv("http_proxy", "http://proxy:1")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{server.getsockname()[1]}"
        cluster = Cluster(ps=(address,), worker=("127.0.0.1:1", "192.0.2.7:2223"))
        threading.Timer(0.5, server.listen).start()
        with lines_shown():
            cluster_waiting.wait_for_servers(Place(cluster, Member(Role.WORKER, 1)))
    said = capsys.readouterr().err
    assert f"for ps 0 at {address}" in said
    assert "worker 1 at 192.0.2.7, which is no address of this machine: is --task_index right?" in said
    assert "proxy" in said
    assert said.count("waiting") == 1
