"""Hosts with addresses of their own on one machine: network namespaces that are joined by a cable."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Host:
    """Programs that are started with `command` in front see this host's network and nothing else."""

    address: str
    command: tuple[str, ...]


@contextmanager
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Makes them, and takes them away again. Skips the test where that cannot be done."""
    names = [f"ry{os.getpid()}{letter}" for letter in "ab"]
    try:
        for name in names:
            _ip("netns", "add", name)
        _ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])
        hosts = [Host(f"10.99.0.{number}", ("ip", "netns", "exec", name)) for number, name in enumerate(names, start=1)]
        for name, host in zip(names, hosts, strict=True):
            _ip("-n", name, "address", "add", f"{host.address}/24", "dev", "cable")
            for device in ("lo", "cable"):
                _ip("-n", name, "link", "set", device, "up")
        yield hosts[0], hosts[1]
    finally:
        for name in names if shutil.which("ip") else ():
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _ip(*words: str) -> None:
    if shutil.which("ip") is None:
        pytest.skip("network namespaces need the program ip (Debian's iproute2)")
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"network namespaces cannot be made here: {done.stderr.strip()}")
