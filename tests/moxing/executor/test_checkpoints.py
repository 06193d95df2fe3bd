"""What a run starts from."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.checkpoints import newest_checkpoint
from moxing.tensorflow.executor.failures import CannotRestore
from tests.moxing.executor.models import classifier, dense, lines, run, weights


def test_a_training_goes_on_in_log_dir_whatever_checkpoint_path_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(log_dir=str(tmp_path / "a"), max_number_of_steps=3)
    run(log_dir=str(tmp_path / "b"), max_number_of_steps=7)
    capsys.readouterr()
    run(log_dir=str(tmp_path / "b"), checkpoint_path=str(tmp_path / "a"), max_number_of_steps=8)
    shown = capsys.readouterr().err
    assert f"Ignoring --checkpoint_path because a checkpoint already exists in {tmp_path / 'b'}" in lines(shown)
    assert f"Restoring parameters from {tmp_path}/b/model.ckpt-7" in lines(shown)


def test_a_training_starts_from_checkpoint_path(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path / "a"), max_number_of_steps=3)
    run(log_dir=str(tmp_path / "b"), checkpoint_path=str(tmp_path / "a"), max_number_of_steps=4)
    assert weights(tmp_path / "b")["global_step"] == 4
    first = weights(tmp_path / "b" / "model.ckpt-3")
    assert np.array_equal(first["hidden/kernel"], weights(tmp_path / "a")["hidden/kernel"])


def test_patterns_choose_what_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path / "a"), max_number_of_steps=3)
    mox.set_flag("checkpoint_exclude_patterns", "logits,global_step")
    run(log_dir=str(tmp_path / "b"), checkpoint_path=str(tmp_path / "a"), max_number_of_steps=1)
    before, start = weights(tmp_path / "a"), weights(tmp_path / "b" / "model.ckpt-0")
    assert np.array_equal(start["hidden/kernel"], before["hidden/kernel"])
    assert not np.array_equal(start["logits/kernel"], before["logits/kernel"])
    # A run that goes on keeps what it has learnt, and an evaluation loads everything.
    run(log_dir=str(tmp_path / "b"), checkpoint_path=str(tmp_path / "a"), max_number_of_steps=2)
    assert weights(tmp_path / "b")["global_step"] == 2
    run(run_mode="EVAL", checkpoint_path=str(tmp_path / "b"))


def test_only_what_matches_may_be_loaded(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path / "a"), max_number_of_steps=3)
    mox.set_flag("checkpoint_include_patterns", "hidden")
    run(log_dir=str(tmp_path / "b"), checkpoint_path=str(tmp_path / "a"), max_number_of_steps=1)
    before, start = weights(tmp_path / "a"), weights(tmp_path / "b" / "model.ckpt-0")
    assert np.array_equal(start["hidden/bias"], before["hidden/bias"])
    assert not np.array_equal(start["logits/bias"], before["logits/bias"])


def other_head(inputs: Any, mode: str) -> Any:
    logits = dense(tf.nn.relu(dense(inputs[0], 8, name="hidden")), 3, name="logits")
    return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits))


def test_another_model_is_refused_with_a_way_out(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=3)
    with pytest.raises(CannotRestore, match=r"logits/bias with shape \[2\]; the model has \[3\]") as failure:
        run(model_fn=other_head, checkpoint_path=str(tmp_path))
    assert "checkpoint_exclude_patterns" in str(failure.value)
    with pytest.raises(CannotRestore, match="new log_dir"):
        run(model_fn=other_head, log_dir=str(tmp_path), max_number_of_steps=9)

    def longer(inputs: Any, mode: str) -> Any:
        return classifier([dense(inputs[0], 6, name="before"), inputs[1]], mode)

    with pytest.raises(CannotRestore, match="no value for before/bias, before/kernel"):
        run(model_fn=longer, run_mode="EVAL", checkpoint_path=str(tmp_path))


def test_another_optimizer_starts_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=3)
    run(log_dir=str(tmp_path), max_number_of_steps=6, optimizer_fn=mox.get_optimizer_fn("adam", learning_rate=0.1))
    assert any(
        line.endswith(f"not in {tmp_path}/model.ckpt-3: starting anew") for line in lines(capsys.readouterr().err)
    )
    assert weights(tmp_path)["global_step"] == 6


def test_plain_tensorflow_loads_it(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        classifier([tf.zeros([1, 6]), tf.zeros([1], tf.int64)], "EVAL")
        step = tf.train.get_or_create_global_step()
        tf.train.Saver().restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        assert session.run(step) == 5


def test_a_folder_can_be_moved(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert newest_checkpoint(str(tmp_path / "b")) == str(tmp_path / "b" / "model.ckpt-5")
    (tmp_path / "b" / "checkpoint").unlink()
    assert newest_checkpoint(str(tmp_path / "b")) == str(tmp_path / "b" / "model.ckpt-5")


def test_a_checkpoint_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=10, save_model_steps=5)
    (tmp_path / "model.ckpt-10.index").write_bytes(b"half")
    assert newest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-5")


def test_a_checkpoint_path_without_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "now").mkdir()
    (tmp_path / "now" / "model.ckpt-5.index").touch()
    run(checkpoint_path=str(tmp_path / "no"), max_number_of_steps=1)
    warning = f"there is no checkpoint at {tmp_path / 'no'}: training starts with new variables"
    assert lines(capsys.readouterr().err, f"{warning}; in {tmp_path} there is now")
    with pytest.raises(CannotRestore, match=f"in {tmp_path / 'now'} there is model.ckpt-5"):
        run(run_mode="EVAL", checkpoint_path=str(tmp_path / "now" / "model.ckpt-7"))


KILLED = """
import sys
import tensorflow.compat.v1 as tf
from tests.moxing.executor.models import run
run(log_dir=sys.argv[1], max_number_of_steps=10**9, save_model_steps=20, log_every_n_steps=1000)
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[3], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 240
        while not any(tmp_path.glob("model.ckpt-[1-9]*.index")):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    found = newest_checkpoint(str(tmp_path))
    assert found is not None
    step = int(found.rpartition("-")[2])
    capsys.readouterr()
    run(log_dir=str(tmp_path), max_number_of_steps=step + 3)
    assert f"Restoring parameters from {found}" in lines(capsys.readouterr().err)
    assert weights(tmp_path)["global_step"] == step + 3
    shutil.rmtree(tmp_path)


def test_a_checkpoint_path_may_name_any_file_of_a_checkpoint(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=1)
    prefix = str(tmp_path / "model.ckpt-0")
    for ending in ("", ".index", ".meta", ".data-00000-of-00001"):
        assert newest_checkpoint(prefix + ending) == prefix


def test_every_checkpoint_that_is_kept_has_its_graph(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=8, save_model_steps=1)
    run(log_dir=str(tmp_path), max_number_of_steps=10, save_model_steps=1)
    kept = sorted(path.stem for path in tmp_path.glob("*.index"))
    assert "model.ckpt-10" in kept
    assert sorted(path.stem for path in tmp_path.glob("*.meta")) == kept
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(tmp_path / "model.ckpt-10.meta"))
        saver.restore(session, str(tmp_path / "model.ckpt-10"))
        assert session.run({each.op.name: each for each in tf.global_variables()})["global_step"] == 10


def test_a_checkpoint_path_that_names_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no checkpoint")
    with pytest.raises(CannotRestore, match=r"needs a checkpoint, and there is none at .*notes\.txt"):
        run(run_mode="EVAL", checkpoint_path=str(other))
    assert lines(capsys.readouterr().err, f"the checkpoint {other} cannot be read")
