"""Where every thread of a process is, when somebody asks."""

import faulthandler
import signal
import sys

DUMP_SIGNAL = signal.SIGUSR1


def install_stack_dumps() -> None:
    """From now on SIGUSR1 writes the stacks of all threads to stderr, even while Python waits in a call for ever."""
    if sys.__stderr__ is not None:
        faulthandler.register(DUMP_SIGNAL, file=sys.__stderr__, all_threads=True)
