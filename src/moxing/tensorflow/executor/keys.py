"""The names of modes and of kinds of exports, as scripts write them."""

from typing import Final


class ModeKeys:
    """What `input_fn` and `model_fn` are called for. EXPORT is the executor's own: `mox.run` does not take it."""

    TRAIN: Final = "TRAIN"
    EVAL: Final = "EVAL"
    PREDICT: Final = "PREDICT"
    EXPORT: Final = "EXPORT"


ModeKey = MokeKeys = ModeKeys
"""Spellings that go around in documents."""


class ExportKeys:
    """What a model can be exported as."""

    TF_SERVING: Final = "TF_SERVING"
