"""The import name of MoXing scripts: `import moxing.tensorflow as mox`, or `import moxing as mox` for files alone."""

from moxing.framework import file
from runyard._version import __version__

__all__ = ["__version__", "file"]
