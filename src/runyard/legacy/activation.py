"""Switches this process, and those that it starts, to TensorFlow 1.

This is the only place that calls `disable_v2_behavior()`; it does so when the program first imports TensorFlow.
"""

import importlib
import os
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from runyard.bridge.choice import choose_keras
from runyard.bridge.quiet import quiet_stderr
from runyard.errors import PlatformError
from runyard.legacy.deprecations import Deprecations
from runyard.legacy.import_hook import ImportHook
from runyard.legacy.mends import mend_logging, mend_numpy, mend_tensorflow, mend_waiting
from runyard.legacy.python2_loader import ProgramFinder, converted_modules
from runyard.legacy.settings import VARIABLE, Settings, write_to_environment
from runyard.legacy.sources import read_program
from runyard.legacy.spawning import SpawnedMain
from runyard.legacy.stand_in import StandIn
from runyard.legacy.sync_replicas import mend_sync_replicas
from runyard.legacy.verdict import judge

_CHILD_FOLDER = str(Path(__file__).with_name("child"))
_active = ExitStack()


def activate(settings: Settings, *, inherited: bool = False) -> None:
    """From now on, the program's `import tensorflow` means TensorFlow 1, here and in child processes.

    Args:
        inherited: this is such a child process.

    Raises:
        PlatformError: if TensorFlow was imported before; it may have begun to run as TensorFlow 2.
    """
    if "tensorflow" in sys.modules and _started.cache_info().currsize == 0:
        raise PlatformError("TensorFlow was imported before the program could be switched to TensorFlow 1")
    deactivate()
    hook = ImportHook(
        lambda: None if inherited and not settings.asked and _main_is_for_two() else _started(),
        packages=settings.packages,
        python2=settings.python2,
    )
    finder = ProgramFinder(python2=settings.python2, packages=settings.packages)
    parts: list[Any] = [hook, finder, SpawnedMain(python2=settings.python2)]
    parts += [] if settings.warnings else [Deprecations()]
    for part in parts:
        part.install()
        _active.callback(part.remove)
    if not settings.warnings:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    write_to_environment(settings)
    _lead_children_here()


def deactivate() -> None:
    """Back to the real TensorFlow, for a program that is not for TensorFlow 1."""
    _active.close()
    os.environ.pop(VARIABLE, None)


def _lead_children_here() -> None:
    """Python runs the `sitecustomize` that it finds first on its path."""
    others = [
        folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in ("", _CHILD_FOLDER)
    ]
    os.environ["PYTHONPATH"] = os.pathsep.join([_CHILD_FOLDER, *others])


@cache
def _started() -> StandIn:
    """Starts TensorFlow once: a debugger may run the program again."""
    choose_keras(2)
    with quiet_stderr():
        tensorflow = importlib.import_module("tensorflow")
    mend_tensorflow()
    mend_numpy()
    mend_waiting()
    mend_logging()
    mend_sync_replicas()
    deprecation: Any = importlib.import_module("tensorflow.python.util.deprecation")
    with deprecation.silence():  # this is not the program's doing
        tensorflow.compat.v1.disable_v2_behavior()
    _keep_autograph_from_python_2()
    return StandIn(tensorflow)


def _main_is_for_two() -> bool:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if file is None:
        return False
    verdict = judge(read_program(Path(file), root=Path(file).absolute().parent))
    return verdict.version == 2 and verdict.certain


def _keep_autograph_from_python_2() -> None:
    config: Any = importlib.import_module("tensorflow.python.autograph.core.config")
    library: Any = importlib.import_module("tensorflow.python.autograph.core.config_lib")

    class LeaveConverted(library.Rule):
        """Leaves functions of converted modules as they are."""

        def get_action(self, module: Any) -> Any:
            left = module.__name__ in converted_modules
            return library.Action.DO_NOT_CONVERT if left else library.Action.NONE

    config.CONVERSION_RULES = (LeaveConverted("converted"), *config.CONVERSION_RULES)
