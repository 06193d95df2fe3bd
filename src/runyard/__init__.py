"""Runyard: give it a model and data, it runs the training anywhere."""

from runyard._version import __version__

__all__ = ["__version__"]
