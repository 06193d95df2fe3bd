"""`runyard legacy` as a user meets it."""

import subprocess
import sys
from pathlib import Path

from tests.programs.runs import runyard, write


def test_the_report_needs_no_tensorflow(tmp_path: Path) -> None:
    write(tmp_path, old="import tensorflow as tf\nx = tf.placeholder(tf.float32)\nprint x")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "runyard", "legacy", "old.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "old.py is a TensorFlow 1 program: old.py, line 2: tf.placeholder (2 such uses).",
        "name               here  today                     where",
        "Python 2: print x  runs  converted in memory       old.py:3",
        "tf.placeholder     runs  tf.compat.v1.placeholder  old.py:2",
        "All 2 names will run.",
    ]
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "runyard.legacy.report" in imported
    assert not imported & {"tensorflow", "keras", "tf_keras", "numpy"}


def test_what_does_not_run_comes_first_and_is_an_exit_code(tmp_path: Path) -> None:
    write(
        tmp_path, trainer____init__="", trainer__task="import tensorflow as tf\ntf.Session()\ntf.estimator.Estimator()"
    )
    done = runyard("legacy", "-m", "trainer.task", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.splitlines()[2].split()[:4] == ["tf.estimator", "does", "not", "run"]
    assert done.stdout.splitlines()[-1] == "1 of 2 names will not run."


def test_a_modern_program_has_nothing_to_list(tmp_path: Path) -> None:
    write(tmp_path, new="import tensorflow as tf\nprint(tf.constant(1))")
    done = runyard("legacy", "new.py", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "It uses no name that only TensorFlow 1 has."
    assert runyard("legacy", cwd=tmp_path).returncode == 2
    assert runyard("legacy", "nothing.py", cwd=tmp_path).returncode == 3
