"""The calls of `mox.file` under the name of the module that scripts import them from."""

from moxing.framework.file import *  # noqa: F403
from moxing.framework.file import __all__  # noqa: F401
