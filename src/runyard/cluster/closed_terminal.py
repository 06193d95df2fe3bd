"""A terminal that is closed while a job runs: what would be shown there goes nowhere, and the job can still save."""

import os

_SHOWN_ON = (1, 2)


class Terminals:
    """Those of stdout and stderr that are terminals now."""

    def __init__(self) -> None:
        self._descriptors = [each for each in _SHOWN_ON if os.isatty(each)]

    def leave_closed(self) -> None:
        """Writing to a terminal that is gone would be an error."""
        for descriptor in self._descriptors:
            if not os.isatty(descriptor):
                show_nothing(descriptor)


def show_nothing(descriptor: int) -> None:
    """From now on, what is written to the descriptor is lost."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
