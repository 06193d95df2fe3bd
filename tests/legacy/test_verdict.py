"""A program tells by its names which TensorFlow it is for."""

from pathlib import Path

import pytest

from runyard.legacy.sources import read_program
from runyard.legacy.verdict import Verdict, judge


def verdict_of(tmp_path: Path, source: str, **beside: str) -> Verdict:
    for name, text in beside.items():
        path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = tmp_path / "program.py"
    program.write_text(source)
    return judge(read_program(program, root=tmp_path))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import tensorflow as tf\nx = tf.placeholder(tf.float32)", "program.py, line 2: tf.placeholder"),
        ("import tensorflow as tf\nslim = tf.contrib.slim", "line 2: tf.contrib.slim"),
        ("import tensorflow.contrib.slim as slim", "line 1: tf.contrib.slim"),
        ("from tensorflow.contrib.session_bundle import exporter", "tf.contrib.session_bundle.exporter"),
        ("from tensorflow.examples.tutorials.mnist import input_data", "tf.examples.tutorials.mnist.input_data"),
        ("from tensorflow.python.keras.layers import Dense", "tf.python.keras.layers.Dense"),
        ("import tensorflow as tf\nflags = tf.app.flags\nflags.DEFINE_string('a', '', '')", "line 2: tf.app.flags"),
        ("import tensorflow as tf\nopt = tf.train.AdamOptimizer(0.1).minimize(1)", "tf.train.AdamOptimizer"),
        ("import tensorflow as tf\ntf.data.Dataset.range(3).make_one_shot_iterator()", "make_one_shot_iterator"),
        ("import tensorflow as tf\nprint tf.constant(1)", "line 2: Python 2 (print x)"),
        ("import moxing.tensorflow as mox\nmox.run()", "line 1: import moxing.tensorflow"),
        ("from tensorflow import *\nx = Session(), matmul(1, 2), print(3)", "line 2: tf.Session (one such use)"),
        ("from tensorflow import flags\nflags.DEFINE_string('a', '', '')", "line 1: tf.flags"),
    ],
)
def test_names_of_tensorflow_1(tmp_path: Path, source: str, name: str) -> None:
    verdict = verdict_of(tmp_path, source)
    assert verdict.version == 1
    assert name in verdict.reason


@pytest.mark.parametrize(
    ("source", "certain"),
    [
        ("import tensorflow as tf\nopt = tf.optimizers.Adam()", True),
        ("import tensorflow as tf\nprint(tf.constant(1))", False),
        ("import tensorflow as tf\nwith tf.GradientTape() as t: pass\nm = tf.keras.Sequential()", False),
        ("import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = tf.placeholder(tf.float32)", False),
        ("import tensorflow as tf\nx = tf.compat.v1.placeholder(tf.float32)", False),
        (
            "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  import tensorflow as tf\ntf.Session()",
            False,
        ),
        ("import tensorflow as tf\ntf.distribute.MultiWorkerMirroredStrategy()", True),
    ],
)
def test_names_of_tensorflow_2(tmp_path: Path, source: str, certain: bool) -> None:
    verdict = verdict_of(tmp_path, source)
    assert verdict.version == 2
    assert verdict.certain is certain


def test_a_program_without_tensorflow_is_for_neither(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, "import json, os\nprint(json.dumps(1))").version is None


def test_keras_3_is_recognised(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, "import keras\nkeras.ops").uses_keras_3
    assert verdict_of(tmp_path, "import tensorflow as tf\ntf.keras.ops.add(1, 2)").uses_keras_3
    assert not verdict_of(tmp_path, "import tensorflow as tf\ntf.keras.layers.Dense(1)").uses_keras_3


def test_modules_beside_the_program_count(tmp_path: Path) -> None:
    verdict = verdict_of(
        tmp_path,
        "from nets import model\nmodel.build()",
        nets____init__="",
        nets__model="from . import layers\ndef build(): return layers.x()",
        nets__layers="import tensorflow as tf\ndef x(): return tf.get_variable('x', [1])",
    )
    assert verdict.version == 1
    assert "layers.py, line 2: tf.get_variable" in verdict.reason


def test_more_names_win_and_the_others_are_told(tmp_path: Path) -> None:
    verdict = verdict_of(
        tmp_path, "import tensorflow as tf\ntf.Session()\ntf.placeholder(tf.int32)\ntf.optimizers.Adam()"
    )
    assert verdict.version == 1
    assert "against 1 of TensorFlow 2" in verdict.reason


def test_what_the_user_says_is_taken(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import tensorflow as tf\ntf.Session()")
    assert judge(read_program(program, root=tmp_path), asked=2).version == 2
