"""The flags that are MoXing's, on a command line. It reads them itself; `tf.flags` need not know them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from runyard.legacy.moxing_flag_list import MOXING_FLAGS

_NUMBER_BELOW_ZERO = re.compile(r"-\.?\d")
_TRUTH = frozenset({"true", "false"})


@dataclass(frozen=True)
class FlagGiven:
    """A flag as it stands on the command line.

    Args:
        words: one or two arguments.
        value: None where a value is missing.
    """

    name: str
    words: tuple[str, ...]
    value: str | None


def moxing_flags_given(arguments: Sequence[str]) -> list[FlagGiven]:
    """All of MoXing's flags among arguments without a program's name, in their order."""
    return [part for part in _parts(list(arguments)) if isinstance(part, FlagGiven)]


def without_moxing_flags(arguments: Sequence[str], *, defined: Collection[str]) -> list[str]:
    """The arguments that are left for the program's own flags.

    Args:
        arguments: as in `sys.argv`, the program's name first.
        defined: flags that the program defines itself, whatever their names.
    """
    left = [*arguments[:1]]
    for part in _parts(list(arguments[1:])):
        if isinstance(part, str):
            left.append(part)
        elif part.name in defined:
            left.extend(part.words)
    return left


def _parts(arguments: list[str]) -> Iterator[str | FlagGiven]:
    while arguments:
        argument = arguments.pop(0)
        if argument == "--":
            yield argument
            yield from arguments
            return
        written, equals, value = argument.lstrip("-").partition("=")
        name = _flag_named(written)
        if name is None or not argument.startswith("-"):
            yield argument
        elif equals:
            yield FlagGiven(name, (argument,), value)
        elif MOXING_FLAGS[name].is_switch:
            following = (arguments.pop(0),) if arguments and arguments[0].lower() in _TRUTH else ()
            yield FlagGiven(name, (argument, *following), following[0] if following else str(written == name))
        else:
            following = (arguments.pop(0),) if arguments and _is_a_value(arguments[0]) else ()
            yield FlagGiven(name, (argument, *following), following[0] if following else None)


def _flag_named(written: str) -> str | None:
    """The flag that `num_gpus`, or `nosync_replicas` for a switch, is."""
    if written in MOXING_FLAGS:
        return written
    switch = MOXING_FLAGS.get(written.removeprefix("no"))
    return switch.name if switch is not None and switch.is_switch else None


def _is_a_value(argument: str) -> bool:
    return not argument.startswith("-") or _NUMBER_BELOW_ZERO.match(argument) is not None
