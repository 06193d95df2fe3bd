"""All members of a cluster are there before TensorFlow's servers start.

TensorFlow waits for those that are missing as well, but deep inside, where Python answers no signal and says nothing.
So the first member listens at its address until all others have called; then it tells them to go on, and the address
is free for TensorFlow.
"""

import contextlib
import errno
import select
import socket
import time
from collections.abc import Callable

from runyard.cluster.listening import is_own
from runyard.cluster.members import Member, Place
from runyard.cluster.patience import Patience
from runyard.cluster.taken_port import taken_port

_GO_ON = b"go on\n"
_BETWEEN_CALLS = 0.1
_TO_ANSWER = 5.0


def gather(place: Place, *, tell: Callable[[str], None]) -> None:
    """Returns when all members are there.

    Args:
        tell: gets a line when that takes long.

    Raises:
        AddressInUse: if the port of this member is taken.
    """
    patience = Patience(place.cluster, tell=tell)
    if place.is_chief:
        _listen(place, patience)
    else:
        _own_server(place).close()  # once all have gathered, the others would wait for it where no signal is heard
        _call(place, next(place.cluster.members()), patience)


def _listen(place: Place, patience: Patience) -> None:
    names = {_greeting(member): member for member in place.others}
    here: dict[Member, socket.socket] = {}
    with contextlib.ExitStack() as opened:
        server = opened.enter_context(_own_server(place))
        while missing := _missing(place.others, here):
            patience.look(missing)
            if not select.select([server], [], [], _BETWEEN_CALLS)[0]:
                continue
            caller = opened.enter_context(server.accept()[0])
            member = names.get(_line(caller))
            if member is None:
                caller.close()
            else:
                here[member] = caller  # one that was started again calls again
        for caller in here.values():
            with contextlib.suppress(OSError):
                caller.sendall(_GO_ON)
        for caller in here.values():
            _line(caller)  # they hang up first, so that nothing lingers at this address


def _own_server(place: Place) -> socket.socket:
    try:
        return _server(place.cluster.endpoint(place.member)[1])
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise taken_port(place) from error


def _server(port: int) -> socket.socket:
    """Listens at all addresses of this machine, of both kinds where it has both."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))


def _missing(members: list[Member], callers: dict[Member, socket.socket]) -> list[Member]:
    """Those who have not called, or have hung up, which is forgotten then."""
    for gone in select.select(list(callers.values()), [], [], 0)[0]:
        del callers[next(member for member, caller in callers.items() if caller is gone)]
    return [member for member in members if member not in callers]


def _call(place: Place, first: Member, patience: Patience) -> None:
    while True:
        patience.look([first])
        with contextlib.suppress(OSError), _connected(place.cluster.endpoint(first)) as caller:
            caller.sendall(_greeting(place.member))
            while not select.select([caller], [], [], _BETWEEN_CALLS)[0]:
                patience.look(place.others)
            if _line(caller) == _GO_ON:
                return
        time.sleep(_BETWEEN_CALLS)


def _connected(endpoint: tuple[str, int]) -> socket.socket:
    """A connection to somebody else.

    Raises:
        OSError: if nobody listens.
    """
    connection = socket.create_connection(endpoint, timeout=_TO_ANSWER)
    if is_own(connection):
        connection.close()
        raise ConnectionRefusedError
    return connection


def _greeting(member: Member) -> bytes:
    return f"runyard {member.role} {member.index}\n".encode()


def _line(peer: socket.socket) -> bytes:
    """What it says in one line; nothing if it says none, as a stranger might."""
    peer.settimeout(_TO_ANSWER)
    said = b""
    with contextlib.suppress(OSError):
        while not said.endswith(b"\n") and len(said) < 100 and (more := peer.recv(100)):
            said += more
    return said
