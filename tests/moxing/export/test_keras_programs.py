"""A model of Keras layers: trained, its layers written as JSON, built again from that, its weights loaded."""

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tests.programs.runs import runyard, write

FIRST = """
    import tensorflow as tf
    import moxing.tensorflow as mox

    from tensorflow.python.keras.layers import Embedding, LSTM, Dense
    from tensorflow.python.keras.layers import concatenate
    from tensorflow.python.keras.losses import binary_crossentropy
    from tensorflow.python.keras.models import Model
    from tensorflow.python.keras.layers import Input


    def input_fn(mode, **kwargs):
      words = tf.random_uniform(shape=(6,), minval=1, maxval=50, dtype=tf.int32, name='words')
      extra = tf.random_normal(shape=(5,), name='extra')
      return words, extra, tf.random_uniform(shape=(1,)), tf.random_uniform(shape=(1,))


    def model_core(words, extra):
      x = Embedding(output_dim=8, input_dim=50, input_length=6)(words)
      lstm_out = LSTM(4)(x)
      aux_output = Dense(1, activation='sigmoid', name='aux_output')(lstm_out)
      x = concatenate([lstm_out, extra])
      x = Dense(4, activation='relu')(x)
      x = Dense(4, activation='relu')(x)
      return Dense(1, activation='sigmoid', name='main_output')(x), aux_output


    def model_fn(inputs, mode, **kwargs):
      words, extra, main_labels, aux_labels = inputs
      main_output, aux_output = model_core(words, extra)
      loss = binary_crossentropy(main_output, main_labels) + 0.2 * binary_crossentropy(aux_output, aux_labels)
      loss = tf.reduce_mean(loss)
      return mox.ModelSpec(loss=loss, log_info={'loss': loss})


    def save_keras_model(save_path):
      words = Input(shape=(6, ))
      extra = Input(shape=(5, ))
      main_output, aux_output = model_core(words, extra)
      keras_model = Model(inputs=[words, extra], outputs=[main_output, aux_output])
      with tf.gfile.Open(save_path, 'wb') as f:
        f.write(keras_model.to_json())


    if __name__ == '__main__':
      mox.run(input_fn=input_fn,
              model_fn=model_fn,
              optimizer_fn=mox.get_optimizer_fn('rmsprop', learning_rate=0.01),
              run_mode=mox.ModeKeys.TRAIN,
              batch_size=8,
              auto_batch=True,
              log_dir='first',
              max_number_of_steps=5,
              log_every_n_steps=10)
      save_keras_model(save_path='keras_model.json')
"""
SECOND = """
    import tensorflow as tf
    import moxing.tensorflow as mox

    from tensorflow.python.keras.losses import binary_crossentropy
    from tensorflow.python.keras.models import model_from_json


    def input_fn(mode, **kwargs):
      words = tf.random_uniform(shape=(6,), minval=1, maxval=50, dtype=tf.int32, name='words')
      extra = tf.random_normal(shape=(5,), name='extra')
      return words, extra, tf.random_uniform(shape=(1,)), tf.random_uniform(shape=(1,))


    def model_fn(inputs, mode, **kwargs):
      words, extra, main_labels, aux_labels = inputs
      with tf.gfile.Open('keras_model.json', 'r') as f:
        model_core = model_from_json(f.read())
      main_output, aux_output = model_core([words, extra])
      loss = binary_crossentropy(main_output, main_labels) + 0.2 * binary_crossentropy(aux_output, aux_labels)
      loss = tf.reduce_mean(loss)
      return mox.ModelSpec(loss=loss, log_info={'loss': loss})


    if __name__ == '__main__':
      mox.set_flag('num_gpus', 2)
      mox.run(input_fn=input_fn,
              model_fn=model_fn,
              optimizer_fn=mox.get_optimizer_fn('rmsprop', learning_rate=0.01),
              run_mode=mox.ModeKeys.TRAIN,
              batch_size=8,
              auto_batch=True,
              log_dir='second',
              checkpoint_path='first',
              max_number_of_steps=8,
              log_every_n_steps=2)
"""


@pytest.mark.slow
def test_json_carries_the_layers_and_the_checkpoint_their_weights(tmp_path: Path) -> None:
    write(tmp_path, first=FIRST, second=SECOND)
    for name in ("first", "second"):
        done = runyard("run", f"{name}.py", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "keras_model.json").read_text())["class_name"] == "Functional"
    trained, begun, ended = (
        tf.train.load_checkpoint(str(tmp_path / name))
        for name in ("first/model.ckpt-5", "second/model.ckpt-5", "second/model.ckpt-8")
    )
    names = set(trained.get_variable_to_shape_map())
    assert {"embedding/embeddings", "dense/kernel", "dense_1/kernel", "main_output/bias", "global_step"} <= names
    assert names == set(begun.get_variable_to_shape_map())
    for name in names:
        np.testing.assert_array_equal(trained.get_tensor(name), begun.get_tensor(name), err_msg=name)
    assert not np.array_equal(begun.get_tensor("dense/kernel"), ended.get_tensor("dense/kernel"))
