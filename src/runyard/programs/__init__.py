"""Runs the user's own programs: a file or a module, as Python would, on the TensorFlow that they were written for."""
