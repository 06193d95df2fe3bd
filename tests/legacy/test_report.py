"""`runyard legacy` tells what becomes of every name of TensorFlow 1."""

from pathlib import Path

from runyard.legacy.report import Judged, names_of_tensorflow_1
from runyard.legacy.sources import read_program

PROGRAM = """
import tensorflow as tf
from tensorflow.contrib import crf
from tensorflow.python.util import compact
from tensorflow.python.framework import graph_util, ops
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.keras.layers import Dense, Nonsense
from tensorflow.python.keras.engine.base_layer import Layer
from tensorflow.python.keras._impl.keras import backend
slim = tf.contrib.slim
x = tf.placeholder(tf.float32)
y = slim.conv2d(x, 3, 3)
z = tf.contrib.layers.real_valued_column('z')
tf.contrib.rnn.LSTMCell(3), tf.contrib.data.batch_and_drop_remainder(2), tf.contrib.nonsense.x
tf.estimator.Estimator(), tf.nn.nonsense(x), tf.matmul(x, x), tf.image.resize_images(x, [3, 3]), tf.random_normal([3])
with tf.gfile.Open('a') as f: print f.read()
d = tf.data.Dataset.range(3).make_initializable_iterator()
compact.as_bytes('a'), graph_util.convert_variables_to_constants, ops.get_default_graph(), ops.nonsense
"""


def judged(tmp_path: Path) -> dict[str, Judged]:
    program = tmp_path / "old.py"
    program.write_text(PROGRAM)
    return {row.name: row.judged for row in names_of_tensorflow_1(read_program(program, root=tmp_path))}


def test_what_runs_and_where_it_lives_today(tmp_path: Path) -> None:
    names = judged(tmp_path)
    assert names["tf.placeholder"] == Judged("tf.compat.v1.placeholder", runs=True)
    assert names["tf.contrib.slim"] == Judged("tf_slim", runs=True)
    assert names["tf.contrib.slim.conv2d"] == Judged("tf_slim.conv2d", runs=True)
    assert names["tf.contrib.rnn.LSTMCell"] == Judged("tensorflow.compat.v1.nn.rnn_cell.LSTMCell", runs=True)
    assert names["tensorflow.python.util.compact"].home == "tensorflow.python.util.compat"
    assert names["tensorflow.examples.tutorials.mnist.input_data"].runs
    assert names["tf.gfile.Open"].runs
    assert names["Dataset.make_initializable_iterator"].home == "tf.compat.v1.data.make_initializable_iterator"
    assert names["Python 2: print x"].runs
    assert names["tensorflow.python.keras.layers.Dense"] == Judged("tf_keras.layers.Dense", runs=True)
    assert names["tensorflow.python.keras.engine.base_layer.Layer"].runs
    assert names["tf.random_normal"].home == "tf.random.normal"
    assert names["tf.image.resize_images"].home == "tf.image.resize (differs)"
    assert "tf.matmul" not in names


def test_what_does_not_run_and_what_to_use_instead(tmp_path: Path) -> None:
    names = judged(tmp_path)
    missing = {name: row.home for name, row in names.items() if not row.runs}
    assert missing == {
        "tf.contrib.crf": "a CRF layer of your own; TensorFlow has none",
        "tf.contrib.layers.real_valued_column": "tf.feature_column.numeric_column",
        "tf.contrib.nonsense.x": "nothing that Runyard knows of",
        "tf.estimator": "out of scope: tf.keras, or a loop of your own",
        "tf.nn.nonsense": "TensorFlow 2.21 has no such name",
        "tensorflow.python.framework.graph_util.convert_variables_to_constants": (
            "gone from inside TensorFlow; tf.compat.v1.graph_util.convert_variables_to_constants"
        ),
        "tensorflow.python.framework.ops.nonsense": "gone from inside TensorFlow",
        "tensorflow.python.keras._impl.keras.backend": "not in Keras 2.21 (tf_keras)",
        "tensorflow.python.keras.layers.Nonsense": "not in Keras 2.21 (tf_keras)",
    }


def test_names_inside_tensorflow_are_looked_for_there(tmp_path: Path) -> None:
    names = judged(tmp_path)
    found = names["tensorflow.python.framework.ops.get_default_graph"]
    assert found == Judged("still there, inside TensorFlow", runs=True)
    assert names["tensorflow.python.util.compact.as_bytes"].runs
