"""The seeds of both Keras."""

from runyard.bridge.choice import keras_2, keras_3


def seed_keras(seed: int) -> None:
    """Seeds Python, NumPy, TensorFlow, and the generators from which layers of both Keras draw their own seeds."""
    keras_3().utils.set_random_seed(seed)
    # Made now, so that checkpoints hold it: the first draw without a seed may come in the middle of a trace.
    keras_3().src.random.seed_generator.global_seed_generator()
    keras_2().utils.set_random_seed(seed)
