"""Keras 2 for a program that has imported TensorFlow before it could be chosen."""

import os
import subprocess
import sys

import pytest

LATE = """
import tensorflow.compat.v1 as tf
{before}
from runyard.bridge.late_choice import choose_keras_2_late
print(choose_keras_2_late())
from tensorflow.keras.layers import Dense
print(Dense.__module__.split(".")[0], tf.keras.layers.Dense.__module__.split(".")[0])
"""


def run(before: str) -> list[str]:
    environment = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    command = [sys.executable, "-c", LATE.format(before=before)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow
def test_it_is_keras_2_if_keras_has_not_been_used() -> None:
    assert run("") == ["True", "tf_keras", "tf_keras"]


@pytest.mark.slow
def test_it_tells_if_keras_3_has_been_used() -> None:
    assert run("import tensorflow.keras.layers")[0] == "False"
