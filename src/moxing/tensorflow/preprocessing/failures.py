"""What can be wrong with the choice of an augmentation. Each is also the built-in error that scripts expect."""

from runyard.errors import ModelError


class UnknownPreprocessing(ModelError, ValueError):
    """There is no augmentation of that name."""


class WrongAugmentation(ModelError, ValueError):
    """An augmentation cannot be made from these values."""


class UnknownAugmentationOption(ModelError, TypeError):
    """An augmentation does not take these options."""
