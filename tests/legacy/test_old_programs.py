"""Whole programs in the shape that users wrote them in, trained for a few steps."""

from pathlib import Path

import pytest

from tests.legacy.idx_files import write_idx_files
from tests.programs.runs import runyard, write

pytestmark = pytest.mark.slow

TASK = """
    #!/usr/bin/env python
    import os
    import subprocess
    import sys
    import numpy as np
    import tensorflow as tf
    from tensorflow.contrib.session_bundle import exporter
    from tensorflow.contrib.session_bundle import gc
    from tensorflow.python.saved_model import builder as saved_model_builder
    from tensorflow.python.saved_model import signature_constants
    from tensorflow.python.saved_model import signature_def_utils
    from tensorflow.python.saved_model import tag_constants
    from tensorflow.python.saved_model import utils
    from tensorflow.python.util import compact

    flags = tf.app.flags
    flags.DEFINE_integer('max_epochs', 100, 'Number of steps to run trainer.')
    flags.DEFINE_string('checkpoint_path', './checkpoint/', 'The checkpoint directory')
    flags.DEFINE_string("output_path", "./tensorboard/", "indicates training output")
    flags.DEFINE_integer('model_version', 1, 'Version number of the model.')
    flags.DEFINE_string('model_path', './model/', 'The model directory')
    flags.DEFINE_float('learning_rate', 0.01, 'Initial learning rate.')
    FLAGS = flags.FLAGS

    def main():
        x, y = np.linspace(-1, 1, 101), 2 * np.linspace(-1, 1, 101) + 10
        X, Y = tf.placeholder("float", shape=[None]), tf.placeholder("float")
        w, b = tf.Variable(0.0, name="weight"), tf.Variable(0.0, name="bias")
        out = tf.multiply(X, w) + b
        loss = tf.reduce_mean(tf.square(Y - out))
        global_step = tf.Variable(0, name='global_step', trainable=False)
        train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss, global_step=global_step)
        tf.summary.scalar('loss', loss)
        tf.summary.scalar('training/hptuning/metric', loss)
        summary_op = tf.summary.merge_all()
        init_op = tf.global_variables_initializer()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(init_op)
            writer = tf.summary.FileWriter(FLAGS.output_path, sess.graph)
            for i in range(FLAGS.max_epochs):
                sess.run(train_op, feed_dict={X: x, Y: y})
                summary_value, loss_value, step = sess.run([summary_op, loss, global_step], feed_dict={X: x, Y: y})
                writer.add_summary(summary_value, step)
            writer.close()
            saver.save(sess, FLAGS.checkpoint_path + '/model.ckpt', global_step=i)
            print("loss fell:", loss_value < 1, tf.train.latest_checkpoint(FLAGS.checkpoint_path).endswith('-39'))

            path = os.path.join(compact.as_bytes(FLAGS.model_path), compact.as_bytes(str(FLAGS.model_version)))
            builder = saved_model_builder.SavedModelBuilder(path)
            signature = signature_def_utils.build_signature_def(
                inputs={'x': utils.build_tensor_info(X)}, outputs={'y': utils.build_tensor_info(out)},
                method_name=signature_constants.PREDICT_METHOD_NAME)
            builder.add_meta_graph_and_variables(sess, [tag_constants.SERVING],
                signature_def_map={'predict': signature})
            builder.save()

            with tf.gfile.Open('words.txt', 'w') as f:
                f.write('vocabulary')
            copied = []
            model_exporter = exporter.Exporter(saver)
            model_exporter.init(sess.graph.as_graph_def(), named_graph_signatures={
                'inputs': exporter.generic_signature({'x': X}), 'outputs': exporter.generic_signature({'y': out})},
                assets_collection=[tf.constant('words.txt')],
                assets_callback=lambda files, path: copied.append((files, os.path.basename(path))))
            for version in (3, 5, 7):
                model_exporter.export(FLAGS.model_path + '/bundle', tf.constant(version), sess,
                    exports_to_keep=gc.union(gc.largest_export_versions(1), gc.mod_export_version(3)))
            bundle = FLAGS.model_path + '/bundle/00000007'
            print(sorted(os.listdir(FLAGS.model_path + '/bundle')), copied[0], os.listdir(bundle + '/assets'))
        for place, key in (('/1', 'predict'), ('/bundle/00000007', 'serving_default')):
            with tf.Session(graph=tf.Graph()) as sess:
                model = tf.saved_model.loader.load(sess, ['serve'], FLAGS.model_path + place)
                names = model.signature_def[key]
                value = sess.run(names.outputs['y'].name, {names.inputs['x'].name: [1.0]})
                print(place, abs(value[0] - 12) < 1)
        sys.stdout.flush()
        subprocess.check_call([sys.executable, "-c", "import tensorflow as tf; print(tf.Session, tf.contrib.slim)"])
        sys.stdout.flush()
        subprocess.check_call([sys.executable, "modern.py"])

    if __name__ == "__main__":
        main()
"""

MODERN = """
    import tensorflow as tf
    opt = tf.optimizers.SGD(0.1)
    print('modern', tf.executing_eagerly(), hasattr(tf, 'placeholder'))
"""


def test_a_packaged_task_and_its_child_processes(tmp_path: Path) -> None:
    write(tmp_path, trainer____init__="", trainer__task=TASK, modern=MODERN)
    flags = ["--max_epochs=40", "--learning_rate=0.1", "--checkpoint_path=ckpt", "--output_path=board"]
    done = runyard("run", "-m", "trainer.task", "--", *flags, "--model_path=model", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "loss fell: True True"
    assert lines[1] == "['00000003', '00000007'] ({'words.txt': 'words.txt'}, 'assets') ['words.txt']"
    assert lines[2:4] == ["/1 True", "/bundle/00000007 True"]
    assert "class 'tensorflow.python.client.session.Session'" in lines[4]
    assert lines[5] == "modern True False"
    assert list((tmp_path / "board").glob("events.out.tfevents.*"))
    assert "trainer.task is a TensorFlow 1 program: task.py, line" in done.stderr
    warned = [line for line in done.stderr.splitlines() if "deprecation warning" in line]
    assert len(warned) == 1  # for the program and its child processes together
    assert "--warnings shows them" in warned[0]
    assert "is deprecated" not in done.stderr


GAN = """
    # -*- coding: utf-8 -*-
    # 生成对抗模型
    from tensorflow.examples.tutorials.mnist import input_data
    import numpy as np
    import tensorflow as tf
    slim = tf.contrib.slim

    tf.flags.DEFINE_string('data_url', '/somewhere', '')
    flags = tf.flags.FLAGS
    batch_size = 10

    def bytes_to_sequence(bts):
      return np.array([ord(b) for b in bts])

    def sequence_to_bytes(seq):
      return ''.join([chr(i) for i in seq if i > 0])

    def input_fn():
      mnist = input_data.read_data_sets(flags.data_url, one_hot=True, validation_size=20)
      def gen():
        while True:
          yield mnist.train.next_batch(batch_size)
      ds = tf.data.Dataset.from_generator(
          gen, output_types=(tf.float32, tf.int64),
          output_shapes=(tf.TensorShape([None, 784]), tf.TensorShape([None, 10])))
      images, labels = ds.make_one_shot_iterator().get_next()
      images = tf.reshape(images, shape=[-1, 28, 28, 1])
      images = tf.image.resize_images(images, [64 / 4, 64 / 4])
      return (images - 0.5) / 0.5, labels

    def lrelu(x, th=0.2):
      return tf.maximum(th * x, x)

    def generator(x, isTrain=True, reuse=False):
      with tf.variable_scope('generator', reuse=reuse):
        conv1 = tf.layers.conv2d_transpose(x, 16, [4, 4], strides=(1, 1), padding='valid')
        lrelu1 = lrelu(tf.layers.batch_normalization(conv1, training=isTrain), 0.2)
        conv2 = tf.layers.conv2d_transpose(lrelu1, 8, [4, 4], strides=(2, 2), padding='same')
        conv3 = tf.layers.conv2d_transpose(lrelu(conv2), 1, [4, 4], strides=(2, 2), padding='same')
        return tf.nn.tanh(conv3)

    def discriminator(x, isTrain=True, reuse=False):
      with tf.variable_scope('discriminator', reuse=reuse):
        conv1 = lrelu(tf.layers.conv2d(x, 8, [4, 4], strides=(2, 2), padding='same'))
        conv2 = tf.layers.conv2d(conv1, 16, [4, 4], strides=(2, 2), padding='same')
        lrelu2 = lrelu(tf.layers.batch_normalization(conv2, training=isTrain), 0.2)
        conv3 = tf.layers.conv2d(lrelu2, 1, [4, 4], strides=(1, 1), padding='valid')
        return tf.nn.sigmoid(conv3), conv3

    images, labels = input_fn()
    z = tf.random_normal(shape=[batch_size, 1, 1, 20], mean=0.0, stddev=1.0)
    G_z = generator(z)
    D_real, D_real_logits = discriminator(images)
    D_fake, D_fake_logits = discriminator(G_z, reuse=True)
    D_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        logits=tf.concat([D_real_logits, D_fake_logits], 0),
        labels=tf.concat([tf.ones([batch_size, 1, 1, 1]), tf.zeros([batch_size, 1, 1, 1])], 0)))
    tf.summary.image('G_z', G_z, max_outputs=10)
    with tf.variable_scope('classifier'), slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(0.001)):
      net = slim.conv2d(images, 8, [3, 3])
      logits = slim.fully_connected(slim.batch_norm(slim.flatten(net)), 10, activation_fn=None)
    loss = tf.losses.softmax_cross_entropy(logits=logits, onehot_labels=labels) + tf.losses.get_regularization_loss()
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, tf.argmax(labels, 1), 1), tf.float32))
    name_seq = tf.py_func(bytes_to_sequence, inp=[tf.constant('a.jpg')], Tout=tf.int64)
    variables = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='discriminator')
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(updates):
      train = tf.group(tf.train.AdamOptimizer(0.0002, beta1=0.5).minimize(D_loss, var_list=[
          v for v in tf.trainable_variables() if v in variables]),
          tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss))

    with tf.Session() as sess:
      picture = sess.run(tf.image.encode_jpeg(tf.fill([8, 8, 1], tf.constant(200, tf.uint8))))
    with tf.gfile.FastGFile('a.jpg', 'wb') as f:
      f.write(picture)
    with tf.python_io.TFRecordWriter('data/one.tfrecord') as writer:
      writer.write(tf.train.Example(features=tf.train.Features(feature={
        'image/encoded': tf.train.Feature(bytes_list=tf.train.BytesList(value=[picture])),
        'image/format': tf.train.Feature(bytes_list=tf.train.BytesList(value=['jpeg'.encode()])),
        'image/class/label': tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})).SerializeToString())
    keys_to_features = {
      'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/class/label': tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
    }
    items_to_handlers = {
      'image': slim.tfexample_decoder.Image(shape=[8, 8, 1], channels=1),
      'label': slim.tfexample_decoder.Tensor('image/class/label', shape=[]),
    }
    provider = slim.dataset_data_provider.DatasetDataProvider(slim.dataset.Dataset(
        'data/one.tfrecord', tf.TFRecordReader,
        slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers), 1, {}), shuffle=False)
    image, label = provider.get(['image', 'label'])
    raw_image = tf.image.decode_jpeg(tf.gfile.FastGFile('a.jpg', 'rb').read())
    small = tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(raw_image, 0), [4, 4]))
    names = {'a': 1}
    for key, value in names.iteritems():
      print key, value, type(unicode(key)).__name__, names.has_key('b')
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      sess.run(tf.local_variables_initializer())
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(coord=coord)
      losses = []
      for i in xrange(120 / 2):
        _, d, l, a = sess.run([train, D_loss, loss, accuracy])
        losses.append(l)
      print 'learnt:', np.mean(losses[-5:]) < np.mean(losses[:5]) / 2, 'finite:', np.isfinite(d)
      print sequence_to_bytes(sess.run(name_seq)), sess.run(G_z).shape, a > 0.5
      image_eval, label_eval, small_eval = sess.run([image, label, small])
      print image_eval.shape, label_eval, small_eval.shape, abs(small_eval.mean() - 200) < 3
      coord.request_stop()
      coord.join(threads)
"""


def test_a_python_2_program_on_idx_files(tmp_path: Path) -> None:
    write_idx_files(tmp_path / "data", train=120, test=10)
    write(tmp_path, gan=GAN)
    done = runyard("run", "--warnings", "gan.py", "--", "--data_url=data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "a 1 str False",
        "learnt: True finite: True",
        "a.jpg (10, 16, 16, 1) True",
        "(8, 8, 1) 7 (4, 4) True",
    ]
    assert "gan.py: Python 2 converted in memory: / of integers (lines" in done.stderr
    assert "ord() of a byte (line 14)" in done.stderr
    assert "deprecated" in done.stderr
    assert "--warnings shows them" not in done.stderr


KERAS = """
    import numpy as np
    import tensorflow as tf
    from tensorflow.python.keras.layers import Embedding, LSTM, Dense, Dropout
    from tensorflow.python.keras.layers import concatenate
    from tensorflow.python.keras.losses import binary_crossentropy
    from tensorflow.python.keras.models import Model, model_from_json
    from tensorflow.python.keras.layers import Input
    import moxing.tensorflow as mox

    def model_core(main_input, auxiliary_input):
      x = Embedding(output_dim=8, input_dim=100, input_length=10)(main_input)
      lstm_out = Dropout(0.1)(LSTM(4)(x))
      auxiliary_output = Dense(1, activation='sigmoid', name='aux_output')(lstm_out)
      x = concatenate([lstm_out, auxiliary_input])
      x = Dense(8, activation='relu')(x)
      return Dense(1, activation='sigmoid', name='main_output')(x), auxiliary_output

    keras_main_input, keras_auxiliary_input = Input(shape=(10, )), Input(shape=(5, ))
    model = Model(inputs=[keras_main_input, keras_auxiliary_input],
                  outputs=list(model_core(keras_main_input, keras_auxiliary_input)))
    with tf.gfile.Open('keras_model.json', 'wb') as f:
      f.write(model.to_json())
    with tf.gfile.Open('keras_model.json', 'r') as f:
      model = model_from_json(f.read())

    class Counter(tf.train.SessionRunHook):
      def begin(self):
        self.steps = 0
      def before_run(self, run_context):
        return tf.train.SessionRunArgs(fetches={'loss': loss}, feed_dict={rate: 0.01})
      def after_run(self, run_context, run_values):
        self.steps += 1
        self.last = run_values.results['loss']

    rate = tf.placeholder(tf.float32, [])
    main_input = tf.random_uniform(shape=(16, 10), minval=1, maxval=100, dtype=tf.int32, name='main_input')
    auxiliary_input = tf.random_normal(shape=(16, 5), name='aux_input')
    main_labels = tf.random_uniform(shape=(16, 1))
    main_output, auxiliary_output = model([main_input, auxiliary_input])
    loss = 1.0 * binary_crossentropy(main_output, main_labels) + \\
           0.2 * binary_crossentropy(auxiliary_output, main_labels)
    loss = tf.reduce_mean(loss)
    step = tf.train.get_or_create_global_step()
    train = tf.train.RMSPropOptimizer(rate).minimize(loss, global_step=step)
    counter = Counter()
    hooks = [counter, tf.train.StopAtStepHook(last_step=5)]
    with tf.train.MonitoredTrainingSession(hooks=hooks, checkpoint_dir='log', save_checkpoint_secs=60) as sess:
      while not sess.should_stop():
        sess.run(train)
    print(counter.steps, np.isfinite(counter.last), [v.name for v in tf.trainable_variables()][:1])
    print(tf.train.latest_checkpoint('log'))
    tf.flags.DEFINE_string('a', '', '')
    print(mox.get_flag('num_gpus'))
    try:
      tf.flags.FLAGS.a
    except Exception as unknown:
      print(unknown)
    raise tf.errors.OutOfRangeError(None, None, 'the end')
"""


def test_keras_layers_hooks_a_flag_that_nobody_knows_and_a_traceback(tmp_path: Path) -> None:
    write(tmp_path, old=KERAS)
    done = runyard("run", "old.py", "--", "--num_gpus=2", "--typo=1", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "5 True ['embedding/embeddings:0']",
        "log/model.ckpt-5",
        "2",
        "Unknown command line flag 'typo'",
    ], done.stderr
    assert done.returncode == 1
    traceback = done.stderr.partition("Traceback (most recent call last):\n")[2].splitlines()
    assert traceback[0] == f'  File "{tmp_path}/old.py", line 59, in <module>'
    assert traceback[2].endswith("OutOfRangeError: the end")


def test_tensorflow_2_and_keras_3_programs_run_unchanged(tmp_path: Path) -> None:
    write(
        tmp_path,
        two="""
            import tensorflow as tf
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            @tf.function
            def step(x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(model(x) ** 2)
                return loss, tape.gradient(loss, model.trainable_variables)
            print(tf.keras.__version__[0], tf.keras.Model.__module__, len(step(tf.ones([2, 3]))[1]))
        """,
        three="""
            import keras
            import tensorflow as tf
            model = keras.Sequential([keras.layers.Dense(1)])
            model.compile('sgd', 'mse')
            model.fit(tf.ones([4, 3]), tf.ones([4, 1]), verbose=0)
            print(keras.__version__[0], tf.keras.Model is keras.Model, keras.ops.shape(model(tf.ones([2, 3]))))
        """,
    )
    two = runyard("run", "two.py", cwd=tmp_path)
    assert two.stdout == "2 tf_keras.src.engine.training 2\n", two.stderr
    assert "two.py is a TensorFlow 2 program" in two.stderr
    assert "tf.keras is Keras 2" in two.stderr
    three = runyard("run", "three.py", cwd=tmp_path)
    assert three.stdout == "3 True (2, 1)\n", three.stderr
