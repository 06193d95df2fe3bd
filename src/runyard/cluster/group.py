"""The processes of a group that are running, and all that comes from them: one thread, one place to wait."""

import selectors
import signal
import time
from collections.abc import Collection, Iterable, Iterator

from runyard.cluster.events import Cause, Exited, NotStarted
from runyard.cluster.layout import Layout
from runyard.cluster.liveness import Liveness
from runyard.cluster.members import Cluster, Member, Place
from runyard.cluster.merged_log import MergedLog
from runyard.cluster.orphans import MARK_VARIABLE, marked
from runyard.cluster.ports import HeldPorts
from runyard.cluster.process import MemberProcess
from runyard.cluster.screen import Screen
from runyard.cluster.spec import GroupSpec
from runyard.cluster.stop_requests import StopRequests
from runyard.cluster.streams import Pipe
from runyard.cluster.watchdog import Watchdog


class Group:
    """Starts members, reads what they say, tells who has ended."""

    def __init__(
        self, *, screen: Screen, watchdog: Watchdog, stop: StopRequests, log: MergedLog, liveness: Liveness
    ) -> None:
        self._screen = screen
        self._watchdog = watchdog
        self._stop = stop
        self._log = log
        self._liveness = liveness
        self._cluster: Cluster | None = None
        self._running: dict[Member, MemberProcess] = {}
        self._pipes: dict[int, tuple[MemberProcess, Pipe]] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(stop, selectors.EVENT_READ)

    @property
    def running(self) -> Collection[Member]:
        return self._running.keys()

    def start(self, spec: GroupSpec, layout: Layout) -> NotStarted | None:
        """Starts all, on new ports, up to the first that cannot be started."""
        with HeldPorts(len(list(layout.members()))) as ports:
            self._cluster = layout.on(ports.numbers)
            for member, port in zip(self._cluster.members(), ports.numbers, strict=True):
                ports.release(port)
                if not_started := self.start_one(spec, member):
                    return not_started
        return None

    def start_one(self, spec: GroupSpec, member: Member) -> NotStarted | None:
        """Starts a member of the cluster, also again after it has ended."""
        place = self.place_of(member)
        env = {**spec.env, MARK_VARIABLE: marked(self._watchdog.mark)}
        try:
            process = MemberProcess(
                place, spec.command(place), env=env, screen=self._screen, hang_timeout=spec.hang_timeout
            )
        except OSError as error:
            return NotStarted(member, error.strerror or str(error))
        self._watchdog.add(process.session)
        self._running[member] = process
        self._selector.register(process.handle, selectors.EVENT_READ)
        for pipe in (*process.outputs, process.beats):
            self._pipes[pipe.descriptor] = process, pipe
            self._selector.register(pipe.descriptor, selectors.EVENT_READ)
        return None

    def place_of(self, member: Member) -> Place:
        assert self._cluster is not None
        return Place(self._cluster, member)

    def wait(self, seconds: float) -> Iterator[Exited]:
        """Takes in what comes within that time.

        Those that have ended are told before anyone else is listened to again. Of several that are found at once the
        most telling comes first: nobody is killed by SIGKILL because a peer has died.
        """
        ready = {key.fd for key, _ in self._selector.select(seconds)}
        self._stop.clear()
        ended = [process for process in self._running.values() if process.handle in ready]
        for exited in sorted((Exited(process.member, process.reap()) for process in ended), key=_how_telling):
            self._remove(exited.member)
            yield exited
        if not ended:
            for descriptor in ready.intersection(self._pipes):
                self._read(*self._pipes[descriptor])
        self._watchdog.look_after()
        for _, pipe in self._pipes.values():
            pipe.fit_terminal()

    def send(self, number: signal.Signals, *, to: Iterable[Member]) -> None:
        for member in to:
            self._running[member].send(number)

    def kill(self) -> None:
        """Kills all members, and all that they have started."""
        self._watchdog.sweep()

    def close(self) -> None:
        """Leaves nothing behind, whatever happened."""
        self._watchdog.sweep()
        for member in list(self._running):
            self._running[member].reap()
            self._remove(member)
        self._selector.close()

    def _read(self, process: MemberProcess, pipe: Pipe) -> None:
        data = pipe.read()
        if data:
            self._take(process, pipe, data)
        elif data is not None:
            self._selector.unregister(pipe.descriptor)
            del self._pipes[pipe.descriptor]

    def _take(self, process: MemberProcess, pipe: Pipe, data: bytes) -> None:
        if pipe is not process.beats:
            self._log.take(process.member, data, stream=pipe.stream)
            return
        *messages, process.unfinished_beat = (process.unfinished_beat + data).split(b"\n")
        for message in messages:
            self._liveness.hear(process.member, message.decode(errors="replace"), now=time.monotonic())

    def _remove(self, member: Member) -> None:
        process = self._running.pop(member)
        self._selector.unregister(process.handle)
        for pipe in (*process.outputs, process.beats):
            for data in pipe.read_all():
                self._take(process, pipe, data)
            if self._pipes.pop(pipe.descriptor, None):
                self._selector.unregister(pipe.descriptor)
        process.close()


def _how_telling(exited: Exited) -> int:
    if exited.code == -signal.SIGKILL:
        return 0
    return 1 if exited.cause is Cause.OWN_ERROR else 2
