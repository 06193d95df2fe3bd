"""Programs written for TensorFlow 1: what they are, and the TensorFlow that they run on."""
