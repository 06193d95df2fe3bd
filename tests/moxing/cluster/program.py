"""A MoXing program for any number of processes."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = '''
import os
import signal
import tensorflow as tf
import moxing.tensorflow as mox

tf.flags.DEFINE_string('log', 'log', '')
tf.flags.DEFINE_integer('batch', 4, '')
tf.flags.DEFINE_integer('steps', 12, '')
tf.flags.DEFINE_integer('save', 5, '')
tf.flags.DEFINE_integer('rows', 0, 'Where the data of worker 1 end.')
tf.flags.DEFINE_integer('die_at', 0, 'Worker 1 kills itself after this step, once.')
tf.flags.DEFINE_boolean('more', False, 'Evaluate and export.')
FLAGS = tf.flags.FLAGS


def input_fn(mode, **kwargs):
  workers = len(mox.get_flag('worker_hosts').split(','))
  index = mox.get_flag('task_index')
  ds = tf.data.Dataset.range(960).batch(FLAGS.batch).shard(workers, index)
  ds = ds.take(FLAGS.rows) if FLAGS.rows and index == 1 else ds.repeat()
  ids = ds.make_one_shot_iterator().get_next()
  return ids, tf.cast(ids % 7, tf.float32) / 7.0


class Hook(mox.AggregativeSessionRunHook):
  """Worker 1 dies; the chief waits for that, so that there is something to come back to."""

  def __init__(self, waits):
    super(Hook, self).__init__()
    self.waits = waits

  def after_run(self, run_context, run_values):
    while FLAGS.die_at and self.view.step >= FLAGS.die_at and not os.path.exists('died'):
      if mox.get_flag('task_index') == 1:
        # Not before there is something to go on from.
        if not (tf.train.latest_checkpoint(FLAGS.log) or '-0').endswith('-0'):
          open('died', 'w').close()
          os.kill(os.getpid(), signal.SIGKILL)
      elif not self.waits:
        break

  def support_aggregation(self):
    return False

  def support_sync_workers(self):
    return False

  def run_inter_mode(self):
    return False


def model_fn(inputs, mode, **kwargs):
  ids, y = inputs
  table = tf.get_variable('table', [11, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  x = tf.nn.embedding_lookup(table, ids % 11)
  initial = tf.random_uniform_initializer(-1, 1, seed=2)
  out = tf.squeeze(tf.layers.dense(tf.layers.dense(x, 4, tf.nn.tanh, kernel_initializer=initial), 1,
                                   kernel_initializer=initial), 1)
  loss = tf.reduce_mean(tf.square(out - y))
  export_spec = mox.ExportSpec(inputs_dict={'ids': ids}, outputs_dict={'out': out}, version=1)
  hooks = [Hook(waits=not mox.get_flag('sync_replicas'))] if mode == mox.ModeKeys.TRAIN else []
  return mox.ModelSpec(loss=loss, log_info={'loss': loss}, export_spec=export_spec, hooks=hooks)


if __name__ == '__main__':
  mox.run(input_fn=input_fn, model_fn=model_fn, batch_size=FLAGS.batch, auto_batch=False,
          optimizer_fn=mox.get_optimizer_fn('momentum', learning_rate=0.1, momentum=0.9),
          run_mode=mox.ModeKeys.TRAIN, log_dir=FLAGS.log, max_number_of_steps=FLAGS.steps, log_every_n_steps=1,
          save_model_steps=FLAGS.save, save_summary_steps=2,
          export_model=mox.ExportKeys.TF_SERVING if FLAGS.more else False)
  if FLAGS.more:
    mox.run(input_fn=input_fn, model_fn=model_fn, batch_size=FLAGS.batch, auto_batch=False,
            run_mode=mox.ModeKeys.EVAL, log_dir=FLAGS.log, max_number_of_steps=2)
  print('the end of %s %d' % (mox.get_flag('job_name'), mox.get_flag('task_index')))
'''


def start(folder: Path, *command: str, **environment: str) -> "subprocess.Popen[str]":
    """Starts Python with a program in a folder; what it says comes together."""
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def weights(folder: Path) -> dict[str, Any]:
    """All that the newest checkpoint holds."""
    import tensorflow

    reader = tensorflow.train.load_checkpoint(str(folder))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def steps_in(said: str) -> list[tuple[int, int]]:
    """The local and the global step of every line."""
    return [(int(local), int(whole)) for local, whole in re.findall(r"step: (\d+)\(global step: (\d+)\)", said)]
