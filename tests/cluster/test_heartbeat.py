import os
import threading
import time

import pytest

from runyard.cluster import Heartbeat, Phase
from runyard.cluster.heartbeat import variable_for


def test_a_process_that_nobody_supervises_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNYARD_HEARTBEAT", raising=False)
    Heartbeat.of_this_process().beat(1)


def test_beats_and_signs_of_life_arrive() -> None:
    reader, writer = os.pipe()
    heart = Heartbeat(writer, seconds=0.01)
    heart.beat(3)
    heart.beat(4, phase=Phase.SAVING)
    time.sleep(0.1)
    received = os.read(reader, 4096).decode().splitlines()
    assert [line for line in received if line != "alive"] == ["3 training", "4 saving"]
    assert received.count("alive") >= 2
    os.close(reader)
    for thread in threading.enumerate():
        if thread.name == "runyard-heartbeat":
            thread.join(timeout=5)
            assert not thread.is_alive()
    os.close(writer)


def test_a_supervisor_that_does_not_listen_holds_nobody_up() -> None:
    reader, writer = os.pipe()
    heart = Heartbeat(writer, seconds=60)
    for step in range(100_000):
        heart.beat(step)
    os.close(reader)
    heart.beat(1)


def test_children_of_a_member_do_not_inherit_it() -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    Heartbeat(writer, seconds=60)
    assert not os.get_inheritable(writer)
    os.close(reader)


@pytest.mark.parametrize(("hang_timeout", "seconds"), [(600.0, "5"), (2.0, "0.5")])
def test_signs_of_life_come_often_enough(hang_timeout: float, seconds: str) -> None:
    assert variable_for(7, hang_timeout=hang_timeout) == {"RUNYARD_HEARTBEAT": f"7,{seconds}"}
