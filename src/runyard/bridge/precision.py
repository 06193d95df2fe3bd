"""In which precision layers compute, for models of either Keras."""

from runyard.bridge.choice import keras_2, keras_3


def set_precision(*, half: bool) -> None:
    """Layers made from now on compute in float16 and keep their weights in float32, or do all in Keras's own type.

    This holds for the whole process, so that each job must say which of the two it wants.
    """
    keras_2().mixed_precision.set_global_policy("mixed_float16" if half else keras_2().backend.floatx())
    keras_3().mixed_precision.set_dtype_policy("mixed_float16" if half else keras_3().backend.floatx())
