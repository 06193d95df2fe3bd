"""Small things that scripts import by name: flags and the version of TensorFlow."""
