"""What can be wrong with the choice of an optimizer. Each is also the built-in error that scripts expect."""

from runyard.errors import ModelError


class UnknownOptimizer(ModelError, ValueError):
    """There is no optimizer, or no wrapper, of that name."""


class WrongOptimizerArguments(ModelError, TypeError):
    """An optimizer does not take these arguments."""


class WrongSchedule(ModelError, ValueError):
    """A learning rate's schedule cannot be read."""
