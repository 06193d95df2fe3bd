"""One program with every import form, flag form and file API that old programs use."""

import subprocess

import pytest

from tests.programs.runs import runyard, write

FORMS = """
    import os
    import sys
    current_path = os.path.dirname(__file__)
    sys.path.append(current_path)
    from module_dir import module_file

    import argparse
    import importlib
    import tf_slim as slim_itself
    import numpy as np
    import tensorflow as tf
    import tensorflow
    import tensorflow.contrib.slim as slim_module
    import tensorflow.contrib.slim.nets as nets
    import tensorflow.python.keras.backend as K
    from tensorflow import flags as flags_module
    from tensorflow.contrib import layers, rnn
    from tensorflow.contrib.framework import arg_scope
    from tensorflow.contrib.framework.python.ops import add_arg_scope, variables
    from tensorflow.contrib.layers.python.layers import initializers, utils as layer_utils
    from tensorflow.contrib.rnn.python.ops import core_rnn_cell
    from tensorflow.contrib.session_bundle import exporter
    from tensorflow.contrib.slim.python.slim.nets import resnet_v1
    from tensorflow.contrib.tensorboard.plugins import projector
    from tensorflow.examples.tutorials.mnist import input_data
    from tensorflow.python import keras as python_keras
    from tensorflow.python.framework import ops
    from tensorflow.python.keras.engine.base_layer import Layer
    from tensorflow.python.keras.layers import Dense
    from tensorflow.python.platform import gfile
    from tensorflow.python.saved_model import builder, signature_constants, signature_def_utils, tag_constants, utils
    from tensorflow.python.training import sync_replicas_optimizer
    from tensorflow.python.util import compact, compat
    from tensorflow.keras.layers import Flatten
    from tensorflow.nn import relu
    slim = tf.contrib.slim

    def check(what, truth):
        print(what if truth else 'WRONG: ' + what)

    check('2-4-2', module_file.__name__ == 'module_dir.module_file')
    check('one stand-in', tensorflow is tf and importlib.import_module('tensorflow') is tf and module_file.tf is tf)
    check('slim', slim_itself.conv2d is slim.conv2d is slim_module.conv2d and nets.resnet_v1 is resnet_v1)
    check('libraries keep theirs', not hasattr(sys.modules['tensorflow'], 'placeholder'))
    check('so does TensorFlow', sys.modules['tensorflow.python.keras.layers'] is not python_keras.layers)
    check('compact is compat', compact is compat and compact.as_str(b'a') == 'a')
    check('keras 2', Dense.__module__.startswith('tf_keras') and issubclass(Dense, Layer))
    check('one keras', python_keras.layers.Dense is Dense and issubclass(Flatten, Layer))
    check('flags', flags_module is tf.flags and tf.app.flags is tf.flags)
    check('version', tf.__version__.startswith('2.21') and isinstance(tf.flags.FLAGS, object))
    check('2-1-1', tf.flags._FlagValues is not None)
    check('graphs', not tf.executing_eagerly() and isinstance(tf.Variable(1.0), tf.Variable))
    check('references', 'float32_ref' in repr(tf.get_variable('a', shape=[])) and len(tf.global_variables()) == 2)
    check('contrib', callable(layers.xavier_initializer) and callable(tf.contrib.layers.l2_regularizer))
    check('rnn', rnn.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell and callable(rnn.static_rnn))
    check('inner modules', callable(variables.model_variable) and callable(initializers.xavier_initializer))
    check('inner names', add_arg_scope is slim.add_arg_scope and core_rnn_cell.LSTMCell is rnn.LSTMCell)
    check('framework', arg_scope is slim.arg_scope and callable(tf.contrib.framework.get_or_create_global_step))
    check('training', tf.contrib.training.HParams(rate=1).rate == 1 and callable(tf.contrib.training.create_train_op))
    check('metrics', callable(tf.contrib.metrics.streaming_accuracy) and callable(tf.contrib.losses.log_loss))
    check('data', callable(tf.contrib.data.batch_and_drop_remainder) and callable(tf.contrib.data.shuffle_and_repeat))
    check('lookup', callable(tf.contrib.lookup.index_table_from_tensor))
    check('projector', callable(projector.ProjectorConfig))
    check('numpy', np.float is float and np.int is int and np.random.random_integers(1, 1) == 1)
    check('layers', callable(relu) and ops.get_default_graph() is tf.get_default_graph() and callable(K.clear_session))
    check('saved model', tag_constants.SERVING == 'serve' and callable(builder.SavedModelBuilder))
    check('parameter servers', sync_replicas_optimizer._SyncReplicasOptimizerHook.runyard_mended)
    check('exporter', callable(exporter.Exporter) and callable(utils.build_tensor_info))

    for take in (lambda: tf.contrib.crf, lambda: tf.contrib.layers.real_valued_column, lambda: tf.estimator,
                 lambda: importlib.import_module('tensorflow.contrib.seq2seq'), lambda: tf.no_such_name,
                 lambda: __import__('tensorflow.examples.tutorials.word2vec')):
        try:
            take()
        except (AttributeError, ImportError) as error:
            print(type(error).__name__, error)
    try:
        from tensorflow.contrib import distributions
    except ImportError as error:
        print(error)
    check('hasattr', not hasattr(tf.contrib, 'crf') and hasattr(tf.contrib, 'slim'))

    tf.flags.DEFINE_string(name='data_url', default='s3://xxx', help=None)
    tf.flags.DEFINE_string('left_out', default='s3://xxx', help=None)
    tf.flags.DEFINE_string('int_list', '0,1,2', None)
    tf.flags.DEFINE_string(flag_name='log_dir', default_value='here', docstring='a library has one, too')
    tf.app.flags.DEFINE_integer('steps', 3, 'Steps.')
    tf.flags.DEFINE_float('rate', 0.5, '')
    tf.flags.DEFINE_boolean('shuffle', False, '')
    FLAGS = tf.app.flags.FLAGS
    check('2-4-3', (FLAGS.data_url, FLAGS.left_out) == ('', 's3://xxx'))
    check('2-1-2', [int(item) for item in FLAGS.int_list.split(',')] == [0, 1, 2])
    check('values', (FLAGS.steps, FLAGS.rate, FLAGS.shuffle, FLAGS.log_dir) == (7, 0.25, True, 'here'))
    check('old ways', FLAGS.__flags['steps'] == 7 and FLAGS._parse_flags()['rate'] == 0.25)
    parser = argparse.ArgumentParser()
    parser.add_argument('--steps', type=int)
    args, unparsed = parser.parse_known_args()
    check('2-2-1', args.steps == 7 and '--num_gpus=4' in unparsed)
    import moxing.tensorflow as mox
    check('flags after moxing', FLAGS.steps == 7 and mox.get_flag('num_gpus') == 4)
    check('hosts', mox.get_flag(flag_name='worker_hosts') == 'a:1,b:2' and 'worker_hosts' not in tf.flags.FLAGS)

    folder = sys.argv[-1]
    path = os.path.join(folder, 'a', 'b.txt')
    tf.gfile.MakeDirs(os.path.dirname(path))
    with tf.gfile.Open(path, 'wb') as f:
        f.write('text')
    with tf.gfile.GFile(path, 'a') as f:
        f.write(' more')
    check('gfile', tf.gfile.FastGFile(path, 'rb').read() == b'text more' and tf.gfile.Open(path).read() == 'text more')
    check('gfile lists', tf.gfile.Exists(path) and tf.gfile.ListDirectory(os.path.dirname(path)) == ['b.txt'])
    check('gfile finds', tf.gfile.Glob(folder + '/a/*.txt') == [path] and tf.gfile.IsDirectory(folder))
    check('gfile moves', tf.gfile.Copy(path, path + '2') is None and tf.gfile.Rename(path + '2', path + '3') is None)
    check('gfile measures', tf.gfile.Stat(path).length == 9 and [w[2] for w in tf.gfile.Walk(folder + '/a')] != [])
    tf.gfile.Remove(path)
    tf.gfile.DeleteRecursively(os.path.join(folder, 'a'))
    check('gfile removes', not gfile.Exists(path))

    def main(argv):
        check('main', argv[0].endswith('main.py') and argv[-1] == folder)
        tf.logging.set_verbosity(tf.logging.INFO)
        tf.logging.info('logged')
        return 5
    if __name__ == '__main__':
        tf.app.run()
"""


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> "subprocess.CompletedProcess[str]":
    tmp_path = tmp_path_factory.mktemp("forms")
    write(tmp_path / "project", main=FORMS)
    write(tmp_path / "project" / "module_dir", module_file="import tensorflow as tf\n", __init__="")
    flags = ["--data_url=", "--steps=7", "--rate=0.25", "--shuffle", "--num_gpus=4", "--worker_hosts", "a:1,b:2"]
    folder = tmp_path / "files"
    folder.mkdir()
    return runyard("run", "project/main.py", "--", *flags, str(folder), cwd=tmp_path)


@pytest.mark.parametrize("pitfall", ["2-1-1", "2-1-2", "2-2-1", "2-4-2", "2-4-3"])
def test_what_users_fell_into_cannot_happen(done: "subprocess.CompletedProcess[str]", pitfall: str) -> None:
    assert f"\n{pitfall}\n" in f"\n{done.stdout}"


def test_every_form_works(done: "subprocess.CompletedProcess[str]") -> None:
    assert done.returncode == 5, done.stderr
    assert "WRONG" not in done.stdout
    for check in ("one keras", "parameter servers", "flags after moxing", "hosts", "gfile removes", "main"):
        assert f"\n{check}\n" in done.stdout
    assert "AttributeError tf.contrib.crf is gone since TensorFlow 2; instead: a CRF layer" in done.stdout
    assert "real_valued_column is gone since TensorFlow 2; instead: tf.feature_column.numeric_column" in done.stdout
    assert "AttributeError tf.estimator is out of scope" in done.stdout
    assert "ImportError tf.contrib.seq2seq is gone" in done.stdout
    assert "AttributeError module 'tensorflow' has no attribute 'no_such_name'" in done.stdout
    assert "only examples.tutorials.mnist.input_data is" in done.stdout
    assert (
        "tf.contrib.distributions is gone since TensorFlow 2; instead: the package tensorflow_probability"
        in done.stdout
    )
    assert "project/main.py is a TensorFlow 1 program: main.py, line" in done.stderr
    assert [line for line in done.stderr.splitlines() if "logged" in line] == ["INFO:tensorflow:logged"]
