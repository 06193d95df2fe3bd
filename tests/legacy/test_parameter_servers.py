"""A plain TensorFlow 1 program with parameter servers, as users wrote them, in several processes."""

import re
from pathlib import Path

import pytest

from tests.programs.runs import runyard, write

pytestmark = pytest.mark.slow

PROGRAM = """
    import os
    import signal
    import time
    import tensorflow as tf
    flags = tf.app.flags
    flags.DEFINE_string('job_name', '', 'ps or worker')
    flags.DEFINE_integer('task_index', 0, '')
    flags.DEFINE_string('ps_hosts', '', '')
    flags.DEFINE_string('worker_hosts', '', '')
    flags.DEFINE_integer('steps', 60, '')
    flags.DEFINE_integer('die_at', 0, 'There the second worker kills itself, and when it is back, the first.')
    FLAGS = flags.FLAGS

    def die_once(sign):
        if not os.path.exists(sign):
            open(sign, 'w').close()
            os.kill(os.getpid(), signal.SIGKILL)

    def main(_):
        ps_hosts, worker_hosts = FLAGS.ps_hosts.split(','), FLAGS.worker_hosts.split(',')
        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        is_chief = FLAGS.task_index == 0
        server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
        if FLAGS.job_name == 'ps':
            server.join()
        # After that, the second comes when the first is done.
        while os.path.exists('first died') and not is_chief and not os.path.exists('first is done'):
            time.sleep(0.1)
        with tf.device(tf.train.replica_device_setter(
                worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster=cluster)):
            step = tf.train.get_or_create_global_step()
            x = tf.random_normal([8, 3])
            w = tf.get_variable('w', [3, 1])
            loss = tf.losses.mean_squared_error(tf.reduce_sum(x, 1, keepdims=True), tf.matmul(x, w))
            opt = tf.train.GradientDescentOptimizer(0.05)
            hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
            # IN STEP
            train = opt.minimize(loss, global_step=step)
        ran = at = 0
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=is_chief, checkpoint_dir='log', hooks=hooks,
                save_checkpoint_steps=10, save_checkpoint_secs=None) as sess:
            began = sess.run(step)
            while not sess.should_stop():
                _, value, at = sess.run([train, loss, step])
                ran += 1
                if FLAGS.die_at and at >= FLAGS.die_at:
                    if is_chief:
                        while not os.path.exists('second is back'):
                            time.sleep(0.1)
                        die_once('first died')
                    else:
                        die_once('second died')
                        open('second is back', 'w').close()
        print('worker %d from %d ran %d steps' % (FLAGS.task_index, began, ran))
        if is_chief:
            open('first is done', 'w').close()
            reader = tf.train.load_checkpoint('log')
            print('saved', reader.get_tensor('global_step') >= FLAGS.steps, abs(reader.get_tensor('w') - 1).max() < 0.2)

    if __name__ == '__main__':
        tf.app.run()
"""


IN_STEP = """
            opt = tf.train.SyncReplicasOptimizer(
                opt, replicas_to_aggregate=len(worker_hosts), total_num_replicas=len(worker_hosts))
            hooks.append(opt.make_session_run_hook(is_chief))
"""


def run(tmp_path: Path, *flags: str, tensorflow: str = "import tensorflow as tf", in_step: str = "") -> tuple[str, str]:
    """What was shown, and what the second worker said."""
    program = PROGRAM.replace("import tensorflow as tf", tensorflow).replace("            # IN STEP\n", in_step)
    write(tmp_path, program=program)
    done = runyard("run", "program.py", "--workers", "2", "--ps", "1", "--", *flags, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "saved True True" in done.stdout, done.stdout + done.stderr
    return done.stdout + done.stderr, (tmp_path / "logs" / "worker-1.log").read_text()


def steps(said: str) -> int:
    return int(re.findall(r"ran (\d+) steps", said)[-1])


@pytest.mark.parametrize(
    ("tensorflow", "version"),
    [("import tensorflow as tf", 1), ("import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()", 2)],
    ids=["tensorflow_1", "compat_v1"],
)
def test_workers_that_train_in_step(tensorflow: str, version: int, tmp_path: Path) -> None:
    first, second = run(tmp_path, tensorflow=tensorflow, in_step=IN_STEP)
    assert f"program.py is a TensorFlow {version} program" in first
    assert 60 <= steps(first) + steps(second) <= 130


def test_a_killed_worker_comes_back_alone_and_after_the_first_all_go_on_from_the_checkpoint(tmp_path: Path) -> None:
    first, second = run(tmp_path, "--steps=120", "--die_at=40")
    assert "worker 1 was killed by SIGKILL; it alone is started again, the others go on" in first
    assert "worker 0 was killed by SIGKILL; restart 1 of 3" in first
    assert "worker 1 was killed by SIGKILL; it alone is started again" in second
    began, ran = map(int, re.findall(r"worker 0 from (\d+) ran (\d+) steps", first)[-1])
    assert began > 30, "it was killed at 40 or later, and saves every 10 steps"
    assert began + ran == 120
    assert "worker 1 from 120 ran" in second, "it came when the first was done, and found it"
    assert len(re.findall("deprecation warning", first)) == 1
