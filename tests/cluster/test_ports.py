import errno
import socket

import pytest

from runyard.cluster.ports import HeldPorts


def _bind(port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("", port))


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
