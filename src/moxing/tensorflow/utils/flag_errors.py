"""What can be wrong with a flag."""

from runyard.errors import ConfigError


class FlagError(ConfigError, ValueError):
    """A flag's value cannot be used, or comes too late."""


class UnknownFlag(FlagError, AttributeError):
    """There is no such flag."""
