"""`mox.run` against a MonitoredTrainingSession loop by hand, with the same lines, summaries and checkpoints."""

import contextlib
import io
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import moxing.tensorflow as mox
from bench.pairs import Comparison, compare
from moxing.tensorflow.executor.lines import lines_shown

import tensorflow.compat.v1 as tf  # isort: skip

BATCH = 32
STEPS = 3000
LINE = 50
SUMMARY = 100
_RANDOM = np.random.RandomState(0)
FEATURES = _RANDOM.rand(4096, 128).astype(np.float32)
LABELS = (FEATURES.sum(1) > 64).astype(np.int64)


class Clock(mox.AggregativeSessionRunHook):
    """How long the steps take, from the new session to the end."""

    seconds = 0.0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.begun = time.perf_counter()

    def end(self, session: Any) -> None:
        self.seconds = time.perf_counter() - self.begun

    def support_aggregation(self) -> bool:
        return False

    support_sync_workers = run_inter_mode = support_aggregation


class LookingClock(Clock):
    """A hook that allows one step per session call."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        pass


def read(mode: str = "") -> Any:
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat().batch(BATCH).prefetch(4)
    return tf.data.make_one_shot_iterator(data).get_next()


def network(x: Any, labels: Any, *, normalized: bool) -> tuple[Any, Any]:
    for number, size in enumerate((64, 32, 16, 2)):
        inner = x.shape.as_list()[-1]
        start = np.random.RandomState(number).uniform(-0.2, 0.2, [inner, size])
        with tf.variable_scope(f"layer_{number}"):
            x = tf.layers.dense(x, size, kernel_initializer=tf.constant_initializer(start))
            if size != 2:
                x = tf.nn.relu(tf.layers.batch_normalization(x, training=True) if normalized else x)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, x)
    return loss, tf.reduce_mean(tf.cast(tf.nn.in_top_k(x, labels, 1), tf.float32))


@dataclass
class Side:
    """One of the two.

    Args:
        watched: a hook looks at every step.
        start: what counts is the whole run, not its steps.
    """

    normalized: bool
    watched: bool = False
    start: bool = False

    def __post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bench_moxing_"))
        self.steps = 1 if self.start else STEPS

    def __call__(self) -> float:
        shutil.rmtree(self.folder)
        self.clock = LookingClock() if self.watched else Clock()
        begun = time.perf_counter()
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.run()
        # The caller divides by the whole time.
        return 1.0 if self.start else self.steps * (time.perf_counter() - begun) / self.clock.seconds

    def run(self) -> None:
        raise NotImplementedError

    def weights(self) -> dict[str, Any]:
        reader = tf.train.load_checkpoint(str(self.folder))
        return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


class Ours(Side):
    def run(self) -> None:
        def model_fn(inputs: Any, mode: str) -> Any:
            loss, accuracy = network(*inputs, normalized=self.normalized)
            return mox.ModelSpec(loss=loss, log_info={"loss": loss, "accuracy": accuracy}, hooks=[self.clock])

        mox.run(
            input_fn=read,
            model_fn=model_fn,
            optimizer_fn=mox.get_optimizer_fn("adam", learning_rate=0.001),
            run_mode=mox.ModeKeys.TRAIN,
            batch_size=BATCH,
            auto_batch=False,
            log_dir=str(self.folder),
            max_number_of_steps=self.steps,
            log_every_n_steps=LINE,
            save_summary_steps=SUMMARY,
        )


class ByHand(Side):
    def run(self) -> None:
        with lines_shown(), tf.Graph().as_default():
            loss, accuracy = network(*read(), normalized=self.normalized)
            step = tf.train.get_or_create_global_step()
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                operation = tf.train.AdamOptimizer(0.001).minimize(loss, step)
            tf.summary.scalar("loss", loss)
            tf.summary.scalar("accuracy", accuracy)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(self.folder),
                hooks=[self.clock],
                save_checkpoint_secs=600,
                save_summaries_steps=SUMMARY,
                log_step_count_steps=100,
            ) as session:
                since = time.perf_counter()
                for number in range(self.steps):
                    if number % LINE:
                        session.run(operation)
                        continue
                    _, *values = session.run([operation, loss, accuracy])
                    now = time.perf_counter()
                    speed = BATCH * LINE / (now - since)
                    sys.stderr.write(
                        f"step: {number}\tsample/sec: {speed:.3f}\tloss: {values[0]:.3f}\t{values[1]:.3f}\n"
                    )
                    since = now


def comparisons() -> Iterator[Comparison]:
    yield _one("a hook looks at every step", 0.97, normalized=True, watched=True)
    yield _one("BatchNorm", 1.2, normalized=True)
    yield _one("MLP", 1.5, normalized=False)
    yield _one("start of a run", 1 / 1.1, normalized=True, start=True)


def _one(what: str, target: float, **arguments: Any) -> Comparison:
    ours, theirs = Ours(**arguments), ByHand(**arguments)
    name = f"mox.run, batch {BATCH}, {what}: against a loop by hand"
    found = compare(name, ours, theirs, target=target, unit="starts/s" if "start" in arguments else "steps/s")
    mine, other = ours.weights(), theirs.weights()
    for key in mine:
        if not np.allclose(mine[key], other[key], atol=1e-3):
            sys.exit(f"{name}: the two sides differ in {key}")
    for side in (ours, theirs):
        shutil.rmtree(side.folder)
    return found
