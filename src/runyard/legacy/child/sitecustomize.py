"""Makes a child process of an old program what its parent is, then runs the `sitecustomize` that would have run."""

import importlib.machinery
import importlib.util
import os
import sys


def _inherit() -> None:
    if "RUNYARD_STAND_IN" in os.environ:
        try:
            from runyard.legacy.inheritance import inherit
        except ImportError:  # another Python, without Runyard
            return
        inherit()


def _run_the_next() -> None:
    here = os.path.dirname(__file__)  # noqa: PTH120
    sys.path[:] = [folder for folder in sys.path if folder != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_inherit()
_run_the_next()
