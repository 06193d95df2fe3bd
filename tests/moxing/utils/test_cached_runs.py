"""Runs under `mox.cache()`."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.utils import log_cache


@pytest.fixture
def log_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("DLS_LOCAL_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setattr(log_cache, "_on", False)
    mox.cache()
    return tmp_path / "log"


def run(log_dir: Path, *, steps: int, mode: str = mox.ModeKeys.TRAIN, **changed: Any) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        outputs = {"y": weight * inputs[0]}
        return mox.ModelSpec(
            loss=-weight, log_info={"weight": weight}, export_spec=mox.ExportSpec({"x": inputs[0]}, outputs)
        )

    usual: dict[str, Any] = {
        "input_fn": lambda mode: tf.constant(1.0),
        "model_fn": model_fn,
        "optimizer_fn": mox.get_optimizer_fn("sgd", 1.0),
        "run_mode": mode,
        "batch_size": 2,
        "log_dir": str(log_dir),
        "max_number_of_steps": steps,
        "export_model": mox.ExportKeys.TF_SERVING,
    }
    mox.run(**(usual | changed))


def test_all_ends_up_in_log_dir_and_runs_go_on_from_there(log_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(log_dir, steps=3)
    assert tf.train.latest_checkpoint(str(log_dir)) == str(log_dir / "model.ckpt-3")
    assert list(log_dir.glob("events.out.tfevents.*"))
    assert list(log_dir.with_name("cache").iterdir()) == []
    run(log_dir, steps=5)
    assert tf.train.load_variable(str(log_dir / "model.ckpt-5"), "weight") == 5.0
    assert sorted(path.name for path in log_dir.iterdir() if path.is_dir()) == ["1", "2"]
    told = capsys.readouterr().err
    assert f"{log_dir}: written to {log_dir.with_name('cache')}/mox_log_" in told
    assert "step: 3(global step: 3)" not in told.split("Saving checkpoints for 3")[0]
    run(log_dir, steps=1, mode=mox.ModeKeys.EVAL, export_model=False)
    assert "weight: 5.0\t[2 examples]" in capsys.readouterr().err


def test_a_version_that_is_there_is_found_before_training(log_dir: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [])
        return mox.ModelSpec(loss=weight, export_spec=mox.ExportSpec({}, {"y": weight + 0.0}, version=7))

    (log_dir / "7").mkdir(parents=True)
    with pytest.raises(AssertionError, match=f"different export directory: {log_dir}/7"):
        run(log_dir, steps=3, model_fn=model_fn)
    assert [path.name for path in log_dir.iterdir()] == ["7"]


KILLED = """
import os, sys
import tensorflow.compat.v1 as tf
import moxing.tensorflow as mox

class Kill(mox.AggregativeSessionRunHook):
    def support_aggregation(self): return True
    def support_sync_workers(self): return True
    def run_inter_mode(self): return False
    def after_run(self, run_context, run_values):
        if self.view.step == 7:
            os.kill(os.getpid(), 9)

def model_fn(inputs, mode):
    weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
    return mox.ModelSpec(loss=-weight, hooks=[Kill()])

mox.cache()
mox.run(input_fn=lambda mode: tf.constant(1.0), model_fn=model_fn, optimizer_fn=mox.get_optimizer_fn("sgd", 1.0),
        run_mode=mox.ModeKeys.TRAIN, batch_size=2, log_dir=sys.argv[1], max_number_of_steps=100, save_model_steps=5)
"""


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(log_dir: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(log_dir)], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    assert len(list(log_dir.with_name("cache").iterdir())) == 1
    run(log_dir, steps=9)
    assert list(log_dir.with_name("cache").iterdir()) == []
    assert (log_dir / "model.ckpt-5.index").exists()
    assert tf.train.load_variable(str(log_dir / "model.ckpt-9"), "weight") == 9.0
