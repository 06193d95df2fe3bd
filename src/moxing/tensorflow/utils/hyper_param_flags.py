"""MoXing's own flags, read from the command line by a parser of its own.

It defines nothing with `tf.flags`, absl or argparse and never looks at what is not its own, so scripts may use any of
them beside it, also for flags of the same names.
"""

import difflib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from moxing.tensorflow.utils.callbacks_running import running_callback
from moxing.tensorflow.utils.flag_errors import FlagError, UnknownFlag
from moxing.tensorflow.utils.flag_values import flag_value
from runyard.legacy.moxing_flag_list import MOXING_FLAGS, FlagValue, MoxingFlag
from runyard.legacy.moxing_flags import moxing_flags_given
from runyard.telemetry import note


class MoxFlags:
    """The values of all flags, as attributes. The command line is read when the first one is asked for."""

    def __init__(self) -> None:
        self._values: dict[str, FlagValue] | None = None

    def parse(self, arguments: Sequence[str] | None = None) -> None:
        """Reads the flags anew; what was set before is forgotten.

        Args:
            arguments: as in `sys.argv`, which they are if left out, the program's name first.

        Raises:
            FlagError: for a value that its flag cannot have.
        """
        values = {name: flag.default for name, flag in MOXING_FLAGS.items()}
        without_effect: list[str] = []
        for given in moxing_flags_given((sys.argv if arguments is None else arguments)[1:]):
            flag = MOXING_FLAGS[given.name]
            place = f"--{given.name} on the command line"
            if given.value is None:
                raise FlagError(f"{place} has no value", hint=f"--{given.name}=...: {flag.help}")
            values[given.name] = flag_value(flag, given.value, place=place)
            if not flag.effective and given.name not in without_effect:
                without_effect.append(given.name)
        if without_effect:
            named = ", ".join(f"--{name}" for name in without_effect)
            note(f"{named}: accepted, but without effect here")
        self._values = values

    def set(self, name: str, value: object) -> None:
        """Gives a flag a value; None is its default."""
        flag = _known(name)
        self._read()[name] = flag_value(flag, value, place=f"set_flag({name!r}, ...)")
        if not flag.effective:
            note(f"set_flag({name!r}, ...): accepted, but without effect here")

    def get_help(self) -> str:
        """All flags with their defaults and what they do, one to a line."""
        return "\n".join(_help_line(flag) for flag in MOXING_FLAGS.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._read()[_known(name).name]

    def __iter__(self) -> Iterator[str]:
        return iter(MOXING_FLAGS)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *MOXING_FLAGS})

    def _read(self) -> dict[str, FlagValue]:
        if self._values is None:
            self.parse()
        assert self._values is not None
        return self._values


mox_flags = MoxFlags()


def get_flag(name: str | None = None, *, flag_name: str | None = None) -> Any:
    """The value of one of MoXing's flags.

    Args:
        name: without dashes.
        flag_name: the same.

    Raises:
        UnknownFlag: if MoXing has no such flag.
    """
    return getattr(mox_flags, _known(name if name is not None else flag_name).name)


def set_flag(name: str, value: object) -> None:
    """Sets one of MoXing's flags, before `mox.run` and outside of its callbacks; it wins over the command line.

    Raises:
        UnknownFlag: if MoXing has no such flag.
        FlagError: if the flag cannot have that value, or within a callback, where flags have had their effect.
    """
    callback = running_callback()
    if callback is not None:
        raise FlagError(
            f"set_flag({name!r}, ...) inside {callback} comes too late", hint="call it before mox.run, in the script"
        )
    mox_flags.set(name, value)


def _known(name: object) -> MoxingFlag:
    flag = MOXING_FLAGS.get(name) if isinstance(name, str) else None
    if flag is not None:
        return flag
    close = difflib.get_close_matches(str(name), MOXING_FLAGS, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    raise UnknownFlag(
        f"MoXing has no flag {name!r}", hint=f"{meant}mox_flags.get_help() lists all; a script's own are not here"
    )


def _help_line(flag: MoxingFlag) -> str:
    return f"--{flag.name} ({flag.kind.__name__}, default {flag.default!r}): {flag.help}"
