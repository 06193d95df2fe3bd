"""The user's script: what it defines, how it is loaded, how its callbacks are called."""

from runyard.script.calling import call, declares
from runyard.script.contract import Callback, Returns, Task, factory_callback
from runyard.script.factories import call_factory, check_factories
from runyard.script.loading import Script, load_script
from runyard.script.outline import Outline, outline_script
from runyard.script.static_check import Findings, check_script

__all__ = [
    "Callback",
    "Findings",
    "Outline",
    "Returns",
    "Script",
    "Task",
    "call",
    "call_factory",
    "check_factories",
    "check_script",
    "declares",
    "factory_callback",
    "load_script",
    "outline_script",
]
