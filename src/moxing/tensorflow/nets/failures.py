"""What can be wrong with the choice or use of a network. Each is also the built-in error that scripts expect."""

from runyard.errors import ModelError


class UnknownNetwork(ModelError, ValueError):
    """There is no network of that name."""


class WrongNetworkArguments(ModelError, ValueError):
    """A network cannot be made from these values."""


class UnknownNetworkOption(ModelError, TypeError):
    """A network does not take these options."""


class WrongImages(ModelError, ValueError):
    """A network cannot be put on top of these images."""
