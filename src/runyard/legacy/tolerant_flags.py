"""Lets absl, and `tf.flags` with it, pass over flags that are MoXing's: a strict parse would call them unknown."""

from collections.abc import Sequence

from absl import flags as absl_flags

from runyard.legacy.moxing_flags import without_moxing_flags


class TolerantFlagValues(absl_flags.FlagValues):
    """Absl's flags. What the program defines itself stays the program's, whatever its name."""

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        if known_only or isinstance(argv, str | bytes):
            return super().__call__(argv, known_only)
        return super().__call__(without_moxing_flags(argv, defined=list(self)))


def pass_over_moxing_flags() -> None:
    """From now on, flags that are MoXing's are no mistake on the command line. No flag is defined. Harmless twice."""
    if type(absl_flags.FLAGS) is absl_flags.FlagValues:
        object.__setattr__(absl_flags.FLAGS, "__class__", TolerantFlagValues)
