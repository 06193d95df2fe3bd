"""A port that this process was given, and that somebody else has."""

from collections.abc import Iterator
from pathlib import Path

from runyard.cluster.members import Place
from runyard.errors import AddressInUse

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS = "0A"


def taken_port(place: Place, *, why: str = "") -> AddressInUse:
    """What a process ends with that cannot listen at its address.

    Args:
        why: what was said about it, if anything.
    """
    address, (_, port) = place.cluster.address(place.member), place.cluster.endpoint(place.member)
    holder = port_holder(port) or "the process"
    return AddressInUse(
        f"{place.member} cannot listen at {address}: {why or f'port {port} is taken'}",
        hint=f"end {holder} that holds port {port}, or give {place.member} another one, "
        "in TF_CONFIG or --worker_hosts and --ps_hosts of all members",
    )


def port_holder(port: int) -> str | None:
    """The process on this machine that listens there, as far as this one may know."""
    sockets = {f"socket:[{inode}]" for inode in _listening_at(port)}
    for process in Path("/proc").glob("[0-9]*") if sockets else ():
        try:
            if any(str(opened.readlink()) in sockets for opened in (process / "fd").iterdir()):
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
        except OSError:  # another user's, or gone
            continue
    return None


def _listening_at(port: int) -> Iterator[str]:
    """The sockets in the kernel's tables: `0: 00000000:1F90 00000000:0000 0A ...`, with the inode as tenth field."""
    for table in map(Path, _TABLES):
        for line in table.read_text().splitlines()[1:] if table.is_file() else ():
            _, local, _, state, _, _, _, _, _, inode, *_ = line.split()
            if state == _LISTENS and int(local.rpartition(":")[2], 16) == port:
                yield inode
