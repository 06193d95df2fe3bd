"""`runyard evaluate` as a user meets it."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_commands import imported_modules, runyard

TEST_SET = '''

def awf_create_test_dataset_fn():
    x = np.random.default_rng(1).normal(size=(60, 4)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0).astype("float32")))


def awf_load_model_fn(path, name):
    """Scores by one of the features: the path says which."""
    if path.endswith("broken"):
        raise ValueError("this one is broken")
    feature = int(path[-1])
    return lambda x: tf.sigmoid(x[:, feature : feature + 1])
'''


def write_job(folder: Path, *models: str) -> Path:
    folder.mkdir()
    (folder / "script.py").write_text("import numpy as np\nimport tensorflow as tf\n" + TEST_SET)
    job = {
        "script_name": "script.py",
        "eval_args": {"models": [{"name": name, "path": name} for name in models], "metrics": ["auc", "bce"]},
    }
    (folder / "job.json").write_text(json.dumps(job))
    return folder / "job.json"


@pytest.mark.slow
def test_models_are_compared_on_the_terminal_and_in_files(tmp_path: Path) -> None:
    done = runyard("evaluate", str(write_job(tmp_path / "job", "feature_1", "feature_0")))
    assert done.returncode == 0, done.stderr
    heading, first, second, legend = done.stdout.splitlines()
    assert heading.split() == ["model", "auc", "bce"]
    assert re.fullmatch(r"feature_1 +0\.\d+ \(-0\.\d+\) +\d\.\d+ \(\+\d\.\d+\)", first)
    assert re.fullmatch(r"feature_0 \(baseline\) +1\* +0\.\d+\*", second)
    assert legend == "* best; in brackets: difference to feature_0"
    written = json.loads((tmp_path / "job" / "evaluation.json").read_text())
    assert [row[0] for row in written["eval_results"]] == ["feature_1", "feature_0"]
    assert (tmp_path / "job" / "evaluation.html").read_text().lower().startswith("<!doctype html>")


@pytest.mark.slow
def test_a_model_that_fails_is_told_and_the_exit_code_says_so(tmp_path: Path) -> None:
    done = runyard("evaluate", str(write_job(tmp_path / "job", "broken", "feature_0")))
    assert done.returncode == 4
    assert done.stdout.splitlines()[1].startswith("feature_0")
    assert "broken" in done.stderr and "was not evaluated" in done.stderr
    assert 'raise ValueError("this one is broken")' in done.stderr
    assert "runyard/runner" not in done.stderr
    written = json.loads((tmp_path / "job" / "evaluation.json").read_text())
    assert [model["name"] for model in written["failed"]] == ["broken"]


def test_a_job_that_cannot_be_evaluated_is_refused_without_tensorflow(tmp_path: Path) -> None:
    command = ("evaluate", str(write_job(tmp_path / "job", "feature_0")), "--set", "eval_args.metrics=[]")
    done = runyard(*command)
    assert done.returncode == 2
    assert "eval_args: there is nothing to measure" in done.stderr
    assert "tensorflow" not in imported_modules(*command)
