"""What the members write: each into a file of its own, the speaking one's to the screen as well."""

import contextlib
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from runyard.cluster.farewells import Farewells
from runyard.cluster.lines import LineSplitter
from runyard.cluster.members import Member
from runyard.cluster.screen import Screen, Stream
from runyard.errors import StorageError
from runyard.telemetry import note, say

_OTHER_FOLDER = "choose another folder: with --data-path of `runyard train`, or --logs of `runyard run`"
_TAIL = 200
"""Lines of each member that are remembered."""


class MergedLog:
    """Opened for one round of a group.

    Args:
        speaker: the member whose lines are shown, as they are.
        verbose: whether the others' are shown as well, as `[worker 1] ...`.
        heading: a line that begins this round in the files.
    """

    def __init__(
        self, folder: Path, *, members: list[Member], speaker: Member, screen: Screen, verbose: bool, heading: str
    ) -> None:
        self.folder = folder
        self.members = tuple(members)
        self._speaker = speaker
        self._screen = screen
        self._farewells = Farewells(screen)
        self._verbose = verbose
        self._hushed = False
        self._shown_before: list[str] | None = None
        self._splitters = {(member, stream): LineSplitter() for member in members for stream in Stream}
        self._tails: Mapping[Member, deque[str]] = {member: deque(maxlen=_TAIL) for member in members}
        self._files: dict[Member, IO[str]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for member in members:
                self._files[member] = self.file_of(member).open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            self.close()
            why = "it is a file" if isinstance(error, FileExistsError) else error.strerror
            raise StorageError(f"cannot write logs into {folder}: {why}", hint=_OTHER_FOLDER) from error
        self.mark(heading)

    def file_of(self, member: Member) -> Path:
        return self.folder / f"{member.file_name}.log"

    def shown_last(self) -> list[str]:
        """The last lines on the screen, as far as they are one member's."""
        if self._verbose:
            return []
        return self._shown_before if self._shown_before is not None else self.tail(self._speaker)

    def take(self, member: Member, data: bytes, *, stream: Stream) -> None:
        """Takes in what a member has written."""
        if member == self._speaker and not self._hushed:
            self._farewells.show(data, stream=stream)
        self._keep(member, self._splitters[member, stream].feed(data))

    def tail(self, member: Member) -> list[str]:
        """Its last lines."""
        for stream in Stream:
            self._keep(member, self._splitters[member, stream].flush())
        return list(self._tails[member])

    def mark(self, text: str) -> None:
        """Writes a line of ours into every file."""
        for member in list(self._files):
            self._write(member, f"--- {text}")

    def tell(self, text: str) -> None:
        """Shows a line of ours."""
        self._screen.settle()
        say(text)

    def show_farewells(self) -> bool:
        """Shows what members have said because they were asked to end. Nobody need read it if the job goes on.

        Returns:
            Whether anyone has said anything.
        """
        return self._farewells.release()

    def hush(self) -> None:
        """From now on nothing is shown: what comes is only the consequence of what is known already."""
        self._hushed = True
        self._shown_before = list(self._tails[self._speaker])

    def close(self) -> None:
        for member in self._tails:
            self.tail(member)
        for member in list(self._files):
            self._files.pop(member).close()
        self._screen.restore()

    def __enter__(self) -> "MergedLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep(self, member: Member, lines: list[str]) -> None:
        self._tails[member].extend(lines)
        for line in lines:
            self._write(member, line)
            if self._verbose and not self._hushed and member != self._speaker:
                self._farewells.show_line(line, of=str(member))

    def _write(self, member: Member, line: str) -> None:
        if (file := self._files.get(member)) is None:
            return
        try:
            file.write(f"{line}\n")
        except OSError as error:  # a full disk is no reason to end a training
            with contextlib.suppress(OSError):
                self._files.pop(member).close()
            self._screen.settle()
            note(f"{self.file_of(member)} is not written any more: {error.strerror}")
