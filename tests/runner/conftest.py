"""The modules under test import TensorFlow at their top, so it starts before the first of them is imported."""

from runyard.bridge import start_tensorflow

start_tensorflow(2)
