"""Tells layers of Keras 3 from others, where only those of Keras 2 can be used."""

import sys

_KERAS_3 = "keras.src."
_FRAMES = 40


def called_by_keras_3() -> bool:
    """Whether code of Keras 3 is among the callers."""
    if "keras.src" not in sys.modules:
        return False
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        if str(frame.f_globals.get("__name__", "")).startswith(_KERAS_3):
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False
