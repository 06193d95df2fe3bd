"""The choice is made once in a process, so each test has a child of its own."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SHOW = "print(tf.keras.Model.__module__.split('.')[0], os.environ['TF_USE_LEGACY_KERAS'])"


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "KERAS_"))}
    return subprocess.run(
        [sys.executable, "-c", "import os, sys\n" + program],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_keras_2_is_the_default_and_start_up_is_silent() -> None:
    child = run(f"from runyard.bridge import start_tensorflow\ntf = start_tensorflow()\ntf.ones(1) + 1\n{SHOW}")
    assert (child.stdout, child.stderr) == ("tf_keras 1\n", "")


def test_the_job_may_ask_for_keras_3() -> None:
    child = run(
        f"from runyard.bridge import start_tensorflow\ntf = start_tensorflow(3)\n{SHOW}", TF_USE_LEGACY_KERAS="1"
    )
    assert (child.stdout, child.stderr) == ("keras 0\n", "")


def test_the_environment_may_ask_for_keras_3() -> None:
    child = run(
        f"from runyard.bridge import start_tensorflow\ntf = start_tensorflow()\n{SHOW}", TF_USE_LEGACY_KERAS="0"
    )
    assert child.stdout == "keras 0\n"


def test_tensorflow_with_the_wrong_keras_is_refused() -> None:
    child = run("import tensorflow\nfrom runyard.bridge import start_tensorflow\nstart_tensorflow()")
    assert "PlatformError: TensorFlow was imported with Keras 3 before Runyard could choose Keras 2" in child.stderr
    assert "set TF_USE_LEGACY_KERAS=1 in the environment" in child.stderr


def test_tensorflow_with_the_right_keras_may_be_there_already() -> None:
    child = run(
        f"import tensorflow\nfrom runyard.bridge import start_tensorflow\ntf = start_tensorflow()\n{SHOW}",
        TF_USE_LEGACY_KERAS="1",
    )
    assert child.stdout == "tf_keras 1\n", child.stderr


def test_another_backend_is_refused() -> None:
    child = run("from runyard.bridge import start_tensorflow\nstart_tensorflow()", KERAS_BACKEND="numpy")
    assert "PlatformError: Keras 3 runs on 'numpy', Runyard needs TensorFlow" in child.stderr


def test_importing_runyard_chooses_nothing() -> None:
    child = run(
        "import runyard, runyard.bridge, runyard.config\n"
        "print([name for name in ('tensorflow', 'keras', 'tf_keras') if name in sys.modules])\n"
        "print('TF_USE_LEGACY_KERAS' in os.environ)"
    )
    assert child.stdout == "[]\nFalse\n", child.stderr


def test_tensorflows_own_log_is_shown_on_wish() -> None:
    child = run("from runyard.bridge import start_tensorflow\ntf = start_tensorflow(verbose=True)\ntf.ones(1) + 1")
    assert re.search(r"^I0000 ", child.stderr, re.MULTILINE), child.stderr
