"""What is on the disk, whatever happens. Limits, signals and terminals belong to a process, so each has its own."""

import os
import subprocess
from pathlib import Path

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.errors import StorageError
from runyard.models import load_model, models_to_save, refuse_destination, save_models
from tests.warm import run_warm

from .kinds import functional, numbers

_PRELUDE = f"""
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from runyard.bridge import start_tensorflow
start_tensorflow(2)
import kinds
from runyard.errors import StorageError
from runyard.models import load_model, models_to_save, saving

def save(keras, kind="functional"):
    models = models_to_save(kinds.KINDS[kind](keras)[0], default_name="job")
    saving.save_models(models, directory=Path(sys.argv[1]) / "saved", record={{}})
"""


def in_a_process(program: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return run_warm(
        ["-c", _PRELUDE + program, str(directory)],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )


@pytest.mark.slow
def test_nothing_is_said_on_the_terminal(tmp_path: Path) -> None:
    done = in_a_process(
        """
for keras in (2, 3):
    for kind in ("functional", "subclassed_traced" if keras == 2 else "pair"):
        save(keras, kind)
        load_model(Path(sys.argv[1]) / "saved")
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_full_disk_is_one_clear_line_and_leaves_the_older_model(tmp_path: Path) -> None:
    done = in_a_process(
        """
for keras in (2, 3):
    save(keras)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))
    try:
        save(keras)
    except StorageError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(error, os.listdir(sys.argv[1]))
    load_model(Path(sys.argv[1]) / "saved")
""",
        tmp_path,
    )
    line = f"cannot write {tmp_path / 'saved'}: File too large ['saved']"
    assert (done.stdout.splitlines(), done.stderr) == ([line, line], "")


@pytest.mark.slow
def test_a_kill_before_the_end_leaves_the_older_model(tmp_path: Path) -> None:
    model, _ = functional(2)
    models = models_to_save(model, default_name="job")
    save_models(models, directory=tmp_path / "saved", record={"job": "older"})
    killed = in_a_process(
        "saving.publish_directory = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\nsave(2)", tmp_path
    )
    assert killed.returncode == -9
    assert '"older"' in (tmp_path / "saved" / "model.json").read_text()
    tf.debugging.assert_near(load_model(tmp_path / "saved")(numbers()), model(numbers()))
    assert len(list(tmp_path.iterdir())) == 2
    save_models(models, directory=tmp_path / "saved", record={"job": "newer"})
    assert [entry.name for entry in tmp_path.iterdir()] == ["saved"], "what the killed run left is gone"


def test_a_directory_with_other_things_is_never_replaced(tmp_path: Path) -> None:
    model, _ = functional(2)
    (tmp_path / "train.csv").write_text("1,2,3")
    with pytest.raises(StorageError, match=r"it holds train\.csv, which is no part of a saved model"):
        save_models(models_to_save(model, default_name="job"), directory=tmp_path, record={})
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.csv"]


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "saved").write_text("")
    with pytest.raises(StorageError, match="it is a file"):
        refuse_destination(tmp_path / "saved")
    with pytest.raises(StorageError, match="Not a directory"):
        model, _ = functional(2)
        save_models(models_to_save(model, default_name="job"), directory=tmp_path / "saved" / "inner", record={})


def test_saved_models_and_empty_directories_may_be_replaced(keras: KerasVersion, tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    refuse_destination(tmp_path / "saved")
    models = models_to_save({"first": functional(keras)[0], "second": functional(keras)[0]}, default_name="job")
    save_models(models, directory=tmp_path / "saved", record={})
    refuse_destination(tmp_path / "saved")
    refuse_destination(tmp_path / "saved" / "first")
    (tmp_path / "saved" / "first" / "notes.txt").write_text("")
    with pytest.raises(StorageError, match="notes"):
        refuse_destination(tmp_path / "saved" / "first")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "saved").symlink_to(tmp_path / "elsewhere")
    save_models(models_to_save(functional(2)[0], default_name="job"), directory=tmp_path / "saved", record={})
    assert (tmp_path / "saved").is_symlink()
    assert (tmp_path / "elsewhere" / "model.json").is_file()
