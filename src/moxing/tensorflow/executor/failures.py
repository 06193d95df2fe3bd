"""What can be wrong with a run. Each is also the built-in exception that the documents of MoXing name."""

from runyard.errors import CheckpointError, ScriptError


class WrongValue(ScriptError, ValueError):
    """An argument of `mox.run`, or something that a callback returned, cannot be used."""


class NotCallable(ScriptError, TypeError):
    """Something that must be a function is none, or takes other arguments."""


class CannotRestore(CheckpointError, ValueError):
    """There is no checkpoint to load from, or it does not fit the model."""
