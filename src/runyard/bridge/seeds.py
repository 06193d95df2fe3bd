"""The seeds of both Keras."""

from runyard.bridge.choice import keras_2, keras_3


def seed_keras(seed: int) -> None:
    """Seeds Python, NumPy, TensorFlow, and the generators from which layers of both Keras draw their own seeds."""
    keras_3().utils.set_random_seed(seed)
    keras_2().utils.set_random_seed(seed)
