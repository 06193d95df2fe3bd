"""A job that trains and evaluates, from one file."""

from pathlib import Path

import pytest

from runyard.bridge import KerasVersion
from runyard.config import JobRequest
from runyard.runner.evaluate import EvaluateOptions, evaluate
from tests.runner.jobs import SCRIPT, train_here, write_job

TEST_SET = "\n\ndef awf_create_test_dataset_fn(rows=50):\n    return dataset(rows, 1)\n"


@pytest.mark.slow
@pytest.mark.parametrize(("keras", "noise"), [(2, False), (3, False), (3, True)])
def test_the_trained_model_scores_on_the_validation_set_what_validation_said(
    keras: KerasVersion, noise: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `noise`, the model has a layer that only the script knows."""
    monkeypatch.setenv("JOB_KERAS", str(keras))
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights.npz"))
    detail = {"eval_args": {"report": False}, "model_args": {"noise": noise}}
    job = write_job(tmp_path, script=SCRIPT + TEST_SET, detail=detail, epochs=1)
    results = train_here(job).results
    (model,) = evaluate(JobRequest(job_file=job), EvaluateOptions()).models
    assert list(model.metrics) == ["loss", "auc", "acc"]
    for name, value in model.metrics.items():
        assert value == pytest.approx(results[f"val_{name}"], rel=1e-5)
