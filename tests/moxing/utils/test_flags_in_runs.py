"""Flags of MoXing in scripts that have flags of their own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

SCRIPT = """
import argparse
import tensorflow.compat.v1 as tf
import moxing.tensorflow as mox
from moxing.tensorflow.utils.hyper_param_flags import mox_flags

tf.flags.DEFINE_string("data_url", "", "")
tf.flags.DEFINE_integer("task_index", 7, "the script's own flag of this name")
flags = tf.flags.FLAGS
parser = argparse.ArgumentParser()
parser.add_argument("--data_url")
print(flags.data_url, flags.task_index, parser.parse_known_args()[0].data_url)
print(mox.get_flag("num_gpus"), mox_flags.sync_replicas, mox.get_flag(flag_name="task_index"))
"""


@pytest.mark.slow
def test_a_script_started_with_python_has_its_own_flags_and_moxings(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    arguments = ["--num_gpus", "2", "--data_url=here", "--task_index=3", "--nosync_replicas", "--warmup_steps=0"]
    done = subprocess.run(
        [sys.executable, "train.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "here 3 here\n2 False 3\n"
    assert "--warmup_steps: accepted, but without effect here" in done.stderr


@pytest.mark.parametrize("late", ["input_fn", "model_fn", "optimizer_fn"])
def test_in_a_callback_it_is_too_late_to_set_one(late: str) -> None:
    def set_if(name: str) -> None:
        if late == name:
            mox.set_flag("num_gpus", 2)

    def input_fn(mode: str) -> Any:
        set_if("input_fn")
        return tf.zeros([1])

    def model_fn(inputs: Any, mode: str) -> Any:
        set_if("model_fn")
        return mox.ModelSpec(loss=tf.get_variable("w", []))

    def optimizer_fn() -> Any:
        set_if("optimizer_fn")
        return tf.train.GradientDescentOptimizer(0.1)

    with pytest.raises(ValueError, match=f"inside {late} comes too late"):
        mox.run(
            input_fn=input_fn,
            model_fn=model_fn,
            optimizer_fn=optimizer_fn,
            run_mode=mox.ModeKeys.TRAIN,
            batch_size=1,
            max_number_of_steps=1,
        )
    mox.set_flag("num_gpus", 1)
