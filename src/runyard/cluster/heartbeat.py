"""A member tells its supervisor that it lives, and how far it is.

These messages go through one pipe that the member inherits:

- A thread says every few seconds that the process is alive. It falls silent when the process is stopped or frozen.
- The loop says with `beat` that it has got something done. A thread could not know: it goes on while the loop waits in
  a collective operation for a peer that never comes.
- A process whose work has an end says when it begins and when it is done, so that one whose script ends it in between
  is not taken for one that is done, whatever its exit code.

Some work takes long and cannot say how far it is: compiling, saving, a callback of the user's. So a beat carries a
phase. In a phase that moves, silence of the loop counts as a hang; in one that does not, only silence of the thread.
"""

import contextlib
import os
import threading
import time
from collections.abc import Generator
from enum import StrEnum

from runyard.cluster.stacks import install_stack_dumps

VARIABLE = "RUNYARD_HEARTBEAT"
ALIVE = "alive"
WORKING = "working"
DONE = "done"


class Phase(StrEnum):
    """What a member is doing."""

    STARTING = "starting"
    """Until the first call is done: importing, loading, compiling, callbacks of the user's."""
    TRAINING = "training"
    VALIDATING = "validating"
    SAVING = "saving"
    """Writing a checkpoint or a model, and whatever else takes long at a boundary."""

    @property
    def moves(self) -> bool:
        """Whether beats come all the time in this phase."""
        return self in (Phase.TRAINING, Phase.VALIDATING)


class Heartbeat:
    """The member's side. In a process that nobody supervises it does nothing."""

    def __init__(self, descriptor: int | None = None, *, seconds: float = 5.0) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)
            os.set_inheritable(descriptor, False)
            threading.Thread(target=self._live, args=(seconds,), name="runyard-heartbeat", daemon=True).start()

    @classmethod
    def of_this_process(cls) -> "Heartbeat":
        """The one that the supervisor waits for, if there is one; also makes the process answer with its stacks."""
        told = os.environ.pop(VARIABLE, "")
        if not told:
            return cls()
        install_stack_dumps()
        descriptor, _, seconds = told.partition(",")
        return cls(int(descriptor), seconds=float(seconds))

    def beat(self, step: int, *, phase: Phase = Phase.TRAINING) -> None:
        """Says that something was done. The first beat of a process tells from which step it goes on.

        Args:
            step: steps that are done in all.
            phase: what is being done from now on.
        """
        self._send(f"{step} {phase}")

    @contextlib.contextmanager
    def working(self) -> Generator[None, None, None]:
        """The work of this process, from its beginning to a good end."""
        self._send(WORKING)
        yield
        self._send(DONE)

    def _live(self, seconds: float) -> None:
        while self._send(ALIVE):
            time.sleep(seconds)

    def _send(self, message: str) -> bool:
        """Whether there is somebody to hear it. A pipe that is full is not read just now: a later beat will be."""
        if self._descriptor is None:
            return False
        with contextlib.suppress(BlockingIOError):
            try:
                os.write(self._descriptor, f"{message}\n".encode())
            except BrokenPipeError:
                return False
        return True


def variable_for(descriptor: int, *, hang_timeout: float) -> dict[str, str]:
    """The supervisor's side: what a member finds in its environment."""
    return {VARIABLE: f"{descriptor},{min(5.0, hang_timeout / 4):g}"}
