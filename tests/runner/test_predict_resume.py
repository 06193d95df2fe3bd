"""A prediction that was stopped goes on, and its file is that of one that never was."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from runyard.checkpoint.lock import RunLock
from runyard.errors import CallbackFailed, CheckpointError, DataError, RunLocked, StorageError
from runyard.runner import predict as predict_module
from runyard.runner.predict import PredictOptions
from tests.runner.jobs import wait_until
from tests.runner.predictions import hidden, predicted, write_predict_job
from tests.small_disk import small_disk
from tests.warm import WarmPopen

pytestmark = pytest.mark.slow

SCRIPT = """
import pathlib
import time
import numpy as np
import tensorflow as tf


def awf_create_predict_dataset_fn(kind="plain", rows=4000, file=""):
    x = np.random.default_rng(0).standard_normal((rows, 3)).astype("float32")
    ids = np.arange(rows)
    if kind == "generator":
        def made():
            for number in range(rows):
                if number == 2000 and pathlib.Path("broken").exists():
                    raise ValueError("row 2000 cannot be read")
                yield {"id": ids[number], "x": x[number]}
        signature = {"id": tf.TensorSpec([], tf.int64), "x": tf.TensorSpec([3], tf.float32)}
        return tf.data.Dataset.from_generator(made, output_signature=signature)
    data = tf.data.Dataset.from_tensor_slices({"id": ids, "x": x})
    return data.shuffle(500) if kind == "shuffle" else data


def awf_load_model_fn(path, name):
    broken = pathlib.Path("broken").exists()
    slow = pathlib.Path("slow").exists()

    def nothing(x):
        time.sleep(0.02)
        return np.float32(0)

    def model(inputs, training):
        x = inputs["x"]
        if slow:
            x += tf.reshape(tf.numpy_function(nothing, [x], tf.float32), [])
        if broken:
            tf.debugging.assert_less(tf.reduce_max(inputs["id"]), tf.constant(2000, tf.int64), "row 2000 is broken")
        return {"score": tf.sigmoid(x[:, :1]), "pair": x[:, 1:]}

    return model
"""

COMMIT_OFTEN = """
import sys
from pathlib import Path
from runyard.config import JobRequest
from runyard.runner.predict import PredictOptions, predict
predict(JobRequest(job_file=Path(sys.argv[1])), PredictOptions(commit_seconds=0.0))
"""
OFTEN = PredictOptions(commit_seconds=0.0)
RESUME = PredictOptions(resume=True, commit_seconds=0.0)


def job_in(
    folder: Path, *, kind: str = "plain", format_: str = "csv", rows: int = 4000, file: str = "", **args: Any
) -> Path:
    args = {"row_id_col": "id", "input_exclude_row_id": False, "batch_size": 8, "format": format_, **args}
    return write_predict_job(folder, script=SCRIPT, data_args={"kind": kind, "rows": rows, "file": file}, **args)


def start(*command: str) -> subprocess.Popen[str]:
    return WarmPopen(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_kept(folder: Path) -> int:
    """Rows of the newest record."""
    found = [int(path.name.removeprefix("step-")) for path in folder.glob(".predict.*.progress/step-*")]
    return max(found, default=0)


@pytest.mark.parametrize(("kind", "format_"), [("plain", "csv"), ("generator", "tfrecord"), ("plain", "parquet")])
def test_a_killed_prediction_ends_as_an_undisturbed_one(kind: str, format_: str, tmp_path: Path) -> None:
    whole = predicted(job_in(tmp_path / "calm", kind=kind, format_=format_)).path
    assert whole is not None
    killed = tmp_path / "killed"
    job = job_in(killed, kind=kind, format_=format_)
    (killed / "slow").touch()
    child = start("-c", COMMIT_OFTEN, str(job))
    wait_until(lambda: rows_kept(killed) >= 500, child)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    (killed / "slow").unlink()
    assert not (killed / whole.name).exists()
    assert hidden(killed) == [f".{whole.name}.part", f".{whole.name}.progress"]
    result = predicted(job, RESUME)
    assert (result.rows, result.computed < 4000) == (4000, True)
    assert (killed / whole.name).read_bytes() == whole.read_bytes()
    assert hidden(killed) == []


def test_a_signal_keeps_the_rows_and_the_command_goes_on(tmp_path: Path) -> None:
    whole = predicted(job_in(tmp_path / "calm")).path
    assert whole is not None
    job = job_in(tmp_path / "job")
    (tmp_path / "job" / "slow").touch()
    child = start("-m", "runyard", "predict", str(job))
    wait_until(lambda: (tmp_path / "job" / ".predict.csv.part").exists(), child)
    child.terminate()
    _, said = child.communicate()
    assert child.returncode == 143, said
    assert "rows are kept; --resume goes on after them" in said
    assert "Traceback" not in said
    (tmp_path / "job" / "slow").unlink()
    child = start("-m", "runyard", "predict", str(job), "--resume")
    shown, said = child.communicate()
    assert child.returncode == 0, said
    assert "Going on after row" in said
    assert shown.startswith("Done: 4,000 rows, ")
    assert shown.endswith(f"rows/s: {tmp_path / 'job' / 'predict.csv'}\n")
    assert (tmp_path / "job" / "predict.csv").read_bytes() == whole.read_bytes()


def stopped_halfway(folder: Path, **args: Any) -> Path:
    """A prediction that has failed at row 2000 and would not again."""
    job = job_in(folder, kind="generator", **args)
    (folder / "broken").touch()
    with pytest.raises(CallbackFailed, match="row 2000 cannot be read"):
        predicted(job, OFTEN)
    (folder / "broken").unlink()
    assert 0 < rows_kept(folder) <= 2000
    return job


def test_data_that_fail_halfway_can_be_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = stopped_halfway(tmp_path / "job")
    assert not (tmp_path / "job" / "predict.csv").exists()
    assert predicted(job, RESUME).rows == 4000
    assert "batches again" in capsys.readouterr().err
    lines = (tmp_path / "job" / "predict.csv").read_text().splitlines()
    assert [int(line.split()[0]) for line in lines[1:]] == list(range(4000))


def test_shuffled_rows_come_once_each(tmp_path: Path) -> None:
    job = job_in(tmp_path, kind="shuffle")
    (tmp_path / "broken").touch()
    with pytest.raises(DataError, match="row 2000 is broken"):
        predicted(job, OFTEN)
    (tmp_path / "broken").unlink()
    assert 0 < rows_kept(tmp_path) <= 2500
    assert predicted(job, RESUME).computed < 4000
    lines = (tmp_path / "predict.csv").read_text().splitlines()
    ids = [int(line.split()[0]) for line in lines[1:]]
    assert sorted(ids) == list(range(4000))
    assert ids != sorted(ids)


def test_what_has_changed_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    job = stopped_halfway(tmp_path)
    before = (tmp_path / ".predict.csv.part").read_bytes()
    changes = {
        "predict_args.result_field_delim": lambda: job_in(tmp_path, kind="generator", result_field_delim=";"),
        "predict_data_args.kind": lambda: job_in(tmp_path, kind="plain"),
        "script": lambda: (tmp_path / "script.py").write_text(SCRIPT + "\n"),
        "model": lambda: (tmp_path / "model.keras").write_text("another"),
    }
    for name, change in changes.items():
        change()
        with pytest.raises(CheckpointError, match=rf"this has changed since the prediction began: {name}\n"):
            predicted(job, RESUME)
        job_in(tmp_path, kind="generator")
        (tmp_path / "model.keras").unlink(missing_ok=True)
    assert (tmp_path / ".predict.csv.part").read_bytes() == before


def test_without_resume_the_old_part_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = stopped_halfway(tmp_path)
    assert predicted(job).computed == 4000
    assert "of an earlier run is overwritten; --resume would have gone on" in capsys.readouterr().err
    assert hidden(tmp_path) == []


def test_resume_without_anything_to_go_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predicted(job_in(tmp_path), RESUME).computed == 4000
    assert "nothing to go on from" in capsys.readouterr().err


def test_a_part_that_is_gone_means_the_first_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = stopped_halfway(tmp_path)
    part = tmp_path / ".predict.csv.part"
    part.write_bytes(part.read_bytes()[:50])
    assert predicted(job, RESUME).computed == 4000
    assert "is not what was written" in capsys.readouterr().err
    assert len((tmp_path / "predict.csv").read_text().splitlines()) == 4001


def test_dates_stay_those_of_the_first_start(tmp_path: Path) -> None:
    script = SCRIPT.replace('kind="plain"', 'moment, kind="plain"')
    arguments = {"kind": "generator", "moment": "${DATE:%H%M%S%f}$"}
    job = write_predict_job(
        tmp_path, script=script, data_args=arguments, row_id_col="id", input_exclude_row_id=False, batch_size=8
    )
    (tmp_path / "broken").touch()
    with pytest.raises(CallbackFailed):
        predicted(job, OFTEN)
    (tmp_path / "broken").unlink()
    assert predicted(job, RESUME).computed < 4000


def test_a_full_disk_is_one_line_and_the_rows_stay(tmp_path: Path) -> None:
    whole = predicted(job_in(tmp_path / "calm", rows=20_000)).path
    assert whole is not None
    with small_disk(tmp_path / "disk", megabytes=4) as disk:
        job = job_in(disk, rows=20_000)
        filler = disk / "filler"
        filler.write_bytes(bytes(3600 * 1024))
        with pytest.raises(StorageError, match=r"cannot write .*: No space left on device$"):
            predicted(job, OFTEN)
        filler.unlink()
        assert not (disk / "predict.csv").exists()
        assert rows_kept(disk) > 0
        assert predicted(job, RESUME).computed < 20_000
        assert (disk / "predict.csv").read_bytes() == whole.read_bytes()


def test_a_second_prediction_of_the_same_file_is_refused(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    with RunLock(tmp_path / ".predict.csv.progress"), pytest.raises(RunLocked, match=f"process {os.getpid()}"):
        predicted(job)
    assert predicted(job).rows == 4000


@pytest.mark.parametrize("file", ["rows_1.csv", "rows_*.csv", "one.csv,rows_1.csv", "data"])
def test_data_that_have_changed_are_refused(file: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("rows_1.csv", "one.csv", "data/rows.csv"):
        (tmp_path / name).write_text("1\n2\n")
    job = stopped_halfway(tmp_path, file=file)
    (tmp_path / ("data/rows.csv" if file == "data" else "rows_1.csv")).write_text("3\n4\n5\n")
    with pytest.raises(
        CheckpointError, match=r"changed since the prediction began: files of predict_data_args\.file\n"
    ):
        predicted(job, RESUME)
    assert rows_kept(tmp_path) > 0


def test_data_that_are_as_they_were_are_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n2\n")
    assert predicted(stopped_halfway(tmp_path, file="*.csv"), RESUME).computed < 4000


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_a_prediction_that_died_with_its_file_in_place_is_finished(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_in(tmp_path, format_=format_)
    with monkeypatch.context() as killed:
        killed.setattr(predict_module.shutil, "rmtree", lambda *_, **__: None)
        result = predicted(job)
    assert result.path is not None
    assert hidden(tmp_path) == [f".predict.{format_}.progress"]
    again = predicted(job, RESUME)
    assert (again.path, again.rows, again.computed) == (result.path, 4000, 0)
    assert "This prediction is finished." in capsys.readouterr().err
    assert hidden(tmp_path) == []


def test_a_prediction_that_died_before_its_file_was_in_place_is_not(tmp_path: Path) -> None:
    job = stopped_halfway(tmp_path)
    (tmp_path / "predict.csv").write_text("of yesterday")
    assert predicted(job, RESUME).rows == 4000
    assert len((tmp_path / "predict.csv").read_text().splitlines()) == 4001


def test_the_next_prediction_keeps_the_lock_that_it_took_while_this_one_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, progress = job_in(tmp_path), tmp_path / ".predict.csv.progress"
    remove, following = shutil.rmtree, RunLock(progress)

    def removed_and_taken(path: Path, **options: Any) -> None:
        remove(path, **options)
        if path == progress and not progress.exists() and not (tmp_path / "taken").exists():
            (tmp_path / "taken").touch()
            following.acquire()

    with monkeypatch.context() as patched:
        patched.setattr(predict_module.shutil, "rmtree", removed_and_taken)
        predicted(job)
    try:
        assert (tmp_path / "taken").exists()
        assert (progress / "run.lock").exists()
    finally:
        following.release()
