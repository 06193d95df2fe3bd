"""Python 2 in old programs, converted in memory: lines keep their numbers, and what was changed is told."""

from runyard.legacy.python2.conversion import Conversion, convert, text_of
from runyard.legacy.python2.leftovers import Leftover, told

__all__ = ["Conversion", "Leftover", "convert", "text_of", "told"]
