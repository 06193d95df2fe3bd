import pytest

from runyard.cluster.farewells import Farewells
from runyard.cluster.screen import Screen, Stream


def test_a_farewell_waits_and_all_else_is_shown_as_it_comes(capfd: pytest.CaptureFixture[str]) -> None:
    farewells = Farewells(Screen())
    for data in (b"one\nerror: interrupted: all ", b"is saved", b"\ntwo\n", b"error: out of paper\n"):
        farewells.show(data, stream=Stream.ERR)
    farewells.show_line("error: terminated: saved", of="worker 1")
    farewells.show_line("three", of="worker 1")
    assert capfd.readouterr().err == "one\ntwo\nerror: out of paper\n[worker 1] three\n"
    assert farewells.release()
    assert not farewells.release()
    assert capfd.readouterr().err == "error: interrupted: all is saved\n[worker 1] error: terminated: saved\n"
