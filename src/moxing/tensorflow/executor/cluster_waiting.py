"""Waits until all parameter servers can be reached, and says what may be wrong when that takes long."""

import os
import socket
import time

import psutil

from moxing.tensorflow.executor.lines import warn_line
from runyard.cluster import Member, Place, Role

_TO_CONNECT = 2.0
_LOOK_AGAIN = 0.2
_FIRST_WORD, _NEXT_WORD = 10.0, 60.0


def wait_for_servers(place: Place) -> None:
    """Returns when a connection to every parameter server has been made."""
    began = time.monotonic()
    next_word = began + _FIRST_WORD
    while missing := missing_servers(place):
        now = time.monotonic()
        if now >= next_word:
            next_word = now + _NEXT_WORD
            warn_line(_what_is_wrong(place, missing, seconds=now - began))
        time.sleep(_LOOK_AGAIN)


def missing_servers(place: Place) -> list[Member]:
    """The parameter servers that cannot be reached."""
    servers = (member for member in place.cluster.members() if member.role is Role.PS)
    return [server for server in servers if not is_reached(place.cluster.address(server))]


def is_reached(address: str) -> bool:
    """Whether somebody listens there."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_TO_CONNECT):
            return True
    except OSError:
        return False


def _what_is_wrong(place: Place, missing: list[Member], *, seconds: float) -> str:
    where = ", ".join(f"{server} at {place.cluster.address(server)}" for server in missing)
    words = [f"{place.member} has been waiting for {seconds:.0f} s for {where}"]
    own = place.cluster.address(place.member).rpartition(":")[0].strip("[]")
    if not _is_here(own):
        words.append(
            f"this process was told that it is {place.member} at {own}, which is no address of this machine: "
            "is --task_index right?"
        )
    words.append("are all processes started, with the same --ps_hosts and --worker_hosts, and are their ports open?")
    if any(os.environ.get(name) for name in ("http_proxy", "https_proxy", "grpc_proxy")):
        words.append("the environment names a proxy; members of a cluster talk to each other without it")
    return "; ".join(words)


def _is_here(host: str) -> bool:
    """Whether a host is this machine; one that is known by another name may well be."""
    try:
        found = {str(information[4][0]) for information in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    addresses = {address.address.partition("%")[0] for each in psutil.net_if_addrs().values() for address in each}
    return bool(found & addresses) or any(address.startswith("127.") for address in found)
