"""What a converter tells the process that started it."""

from dataclasses import dataclass


class Unconvertible(Exception):
    """A format has nothing that does the same.

    Args:
        operations: those that it lacks.
    """

    def __init__(self, reason: str, *, operations: list[str]) -> None:
        super().__init__(reason)
        self.operations = operations


class Untried(Exception):
    """The file was written, but this installation cannot run it."""


@dataclass(frozen=True)
class ConversionReport:
    """The end of a conversion.

    Args:
        failure: why there is no file; None if there is one.
        operations: those that the format lacks.
        storage: whether the disk is the reason.
        untried: whether there is a file, which cannot be run here.
        remarks: what a user should know of the file.
    """

    failure: str | None = None
    operations: tuple[str, ...] = ()
    storage: bool = False
    untried: bool = False
    remarks: tuple[str, ...] = ()
