import errno
import socket
from pathlib import Path

import pytest

from runyard.cluster.ports import HeldPorts

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def _bind(port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("", port))


@pytest.mark.skipif(not _RANGE.is_file(), reason="this system does not tell which ports it gives away")
def test_ports_are_not_those_that_connections_get() -> None:
    first = int(_RANGE.read_text().split()[0])
    with HeldPorts(20) as ports:
        assert max(ports.numbers) < first


def test_held_ports_are_different_and_nobody_elses_until_released() -> None:
    with HeldPorts(5) as ports:
        numbers = ports.numbers
        assert len(set(numbers)) == 5
        for number in numbers:
            with pytest.raises(OSError) as caught:
                _bind(number)
            assert caught.value.errno == errno.EADDRINUSE
        ports.release(numbers[0])
        _bind(numbers[0])
        assert ports.numbers == numbers[1:]
    for number in numbers:
        _bind(number)
