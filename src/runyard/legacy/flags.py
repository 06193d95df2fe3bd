"""`tf.flags` as TensorFlow 1 programs use it.

Flags are read from the command line when the first one is asked for. Flags that are MoXing's are no mistake, and a
program may define a flag that a library has defined already, such as `log_dir`.
"""

import sys
from collections.abc import Callable
from typing import Any

import tensorflow.python.platform.flags as real  # pyright: ignore[reportMissingImports]
from absl import flags as absl_flags

from runyard.legacy.moxing_flags import without_moxing_flags
from runyard.legacy.ownership import is_library_file

absl_flags.disclaim_key_flags()

_FlagValues = absl_flags.FlagValues
"""The name that TensorFlow 1.4 had for the class of `FLAGS`."""


class _Flags:
    """`tf.flags.FLAGS`."""

    def __getattr__(self, name: str) -> Any:
        flags = absl_flags.FLAGS
        if name in ("_parse_flags", "__flags"):
            _parse()
            return (lambda args=None: flags.flag_values_dict()) if name == "_parse_flags" else flags.flag_values_dict()
        if name in flags and not flags.is_parsed():
            _parse()
        return getattr(flags, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not absl_flags.FLAGS.is_parsed():
            _parse()
        setattr(absl_flags.FLAGS, name, value)

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        flags = absl_flags.FLAGS
        return flags(without_moxing_flags(argv, defined=list(flags)), known_only=known_only)

    def __delattr__(self, name: str) -> None:
        delattr(absl_flags.FLAGS, name)

    def __getitem__(self, name: str) -> Any:
        return absl_flags.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        absl_flags.FLAGS[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in absl_flags.FLAGS

    def __iter__(self) -> Any:
        return iter(absl_flags.FLAGS)

    def __len__(self) -> int:
        return len(absl_flags.FLAGS)

    def __dir__(self) -> list[str]:
        return dir(absl_flags.FLAGS)

    def __str__(self) -> str:
        return str(absl_flags.FLAGS)


FLAGS = _Flags()


def _parse() -> None:
    flags = absl_flags.FLAGS
    if not flags.is_parsed():
        flags(without_moxing_flags(sys.argv, defined=list(flags)))


def _claiming(define: Callable[..., Any]) -> Callable[..., Any]:
    """A `DEFINE_*` that takes a name over from a library."""

    def claim(*args: Any, **kwargs: Any) -> Any:
        name = args[0] if args else kwargs.get("name", kwargs.get("flag_name"))
        flags = absl_flags.FLAGS
        if isinstance(name, str) and name in flags and _is_librarys(name):
            delattr(flags, name)
        return define(*args, **kwargs)

    return claim


def _is_librarys(name: str) -> bool:
    module = sys.modules.get(str(absl_flags.FLAGS.find_module_defining_flag(name)))
    file = getattr(module, "__file__", None)
    return file is not None and is_library_file(file)


_DEFINITIONS = {name: _claiming(getattr(real, name)) for name in dir(real) if name.startswith("DEFINE")}
globals().update(_DEFINITIONS)


def __getattr__(name: str) -> Any:
    return getattr(real, name)


def __dir__() -> list[str]:
    return sorted({*dir(real), "FLAGS", "_FlagValues"})
