"""Half precision, for models of either Keras."""

from runyard.bridge.choice import keras_2, keras_3


def use_half_precision() -> None:
    """Layers made from now on compute in float16 and keep their weights in float32. For the whole process."""
    keras_2().mixed_precision.set_global_policy("mixed_float16")
    keras_3().mixed_precision.set_dtype_policy("mixed_float16")
