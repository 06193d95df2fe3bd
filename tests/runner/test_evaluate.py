"""`runyard evaluate` on one model: which data, which metrics, which numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.config import InvalidJob, JobRequest
from runyard.errors import DataError, StorageError
from runyard.runner.evaluate import EvaluateOptions, evaluate
from runyard.runner.evaluation.comparison import Comparison
from runyard.training.grouped_auc import grouped_auc
from runyard.training.ranking import hit_rate, ndcg
from tests.runner.evaluations import (
    SCRIPT,
    classifier,
    data,
    keras_evaluates,
    measured,
    run,
    save,
    two_outputs,
    write_evaluation,
)

DATA = data()
X, Y, USERS, WEIGHTS = DATA["X"], DATA["Y"], DATA["USERS"], DATA["WEIGHTS"]


def eval_args(**args: Any) -> dict[str, Any]:
    return {"models": "model.keras", "batch_size": 32, "report": False, **args}


@pytest.fixture
def model(keras: KerasVersion, tmp_path: Path) -> Any:
    made = classifier(keras)
    save(made, tmp_path / "model.keras")
    return made


def test_losses_and_metrics_are_those_of_keras(keras: KerasVersion, model: Any, tmp_path: Path) -> None:
    args = eval_args(metrics=["auc", "bacc", "f1"], weighted_metrics=[{"type": "mse", "args": {"name": "w_mse"}}])
    found = measured(tmp_path, kind="weights", eval_args={**args, "losses": "bce"})
    metrics = keras_module(keras).metrics
    said = keras_evaluates(
        model,
        X,
        Y,
        WEIGHTS,
        metrics=[metrics.AUC(name="auc"), metrics.BinaryAccuracy(name="bacc")],
        weighted=[metrics.MeanSquaredError(name="w_mse")],
    )
    assert list(found) == ["loss", "auc", "bacc", "f1", "w_mse"]
    guessed = (model(X).numpy()[:, 0] > 0.5) == 1
    f1 = 2 * (guessed & (Y == 1)).sum() / (guessed.sum() + (Y == 1).sum())
    assert found.pop("f1") == pytest.approx(f1)
    # Keras 3 divides the weighted loss by the weights, Keras 2 by the rows; both say what they say in training.
    assert found == pytest.approx({name: said[name] for name in found}, rel=1e-5)


def test_metrics_and_losses_of_the_training_are_the_default(model: Any, tmp_path: Path) -> None:
    train_args = {"metrics": ["auc"], "losses": "bce", "weighted_metrics": ["mse"]}
    assert list(measured(tmp_path, eval_args=eval_args(), train_args=train_args)) == ["loss", "auc", "mse"]
    own = eval_args(metrics=["acc"], losses="mse")
    assert list(measured(tmp_path, eval_args=own, train_args=train_args)) == ["loss", "acc", "mse"]


@pytest.mark.parametrize(
    ("kind", "names", "samples"),
    [
        ("one", ["loss", "auc"], [100]),
        ("tuple", ["loss(0)", "auc(0)", "loss(1)", "auc(1)"], [100, 40]),
        ("dict", ["loss(new)", "auc(new)", "loss(old)", "auc(old)"], [30, 70]),
    ],
)
def test_several_datasets_have_names(kind: str, names: list[str], samples: list[int], tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    comparison = run(tmp_path, kind=kind, eval_args=eval_args(metrics="auc", losses="bce"))
    assert list(comparison.models[0].metrics) == names
    assert [result.samples for result in comparison.models[0].datasets] == samples


WITH_A_METRIC = (
    SCRIPT
    + """

def mean_score():
    return lambda y_true, y_pred: y_pred
"""
)


def test_every_dataset_starts_over(model: Any, tmp_path: Path) -> None:
    found = measured(tmp_path, kind="dict", eval_args=eval_args(metrics=["auc", "mean_score"]), script=WITH_A_METRIC)
    for key, rows in (("new", slice(0, 30)), ("old", slice(30, None))):
        alone = grouped_auc(np.zeros(100)[rows], Y[rows], model(X).numpy()[rows])
        assert found[f"auc({key})"] == pytest.approx(alone, abs=0.01)
        assert found[f"mean_score({key})"] == pytest.approx(model(X).numpy()[rows].mean())


def test_gauc_and_ranking_metrics_read_users_that_the_model_does_not_see(model: Any, tmp_path: Path) -> None:
    users = {"user_id_index": "uid"}
    metrics = [
        {"type": "gauc", "args": users},
        {"type": "ndcg@5", "args": users},
        {"type": "hit_rate", "args": {**users, "k": 1}},
        "log_loss",
    ]
    args = eval_args(metrics=metrics, model_call_exclude_input_index="uid", input_squeeze=True)
    found = measured(tmp_path, kind="users", eval_args=args)
    scores = model(X).numpy()[:, 0]
    assert list(found) == ["gauc", "ndcg@5", "hit_rate", "log_loss"]
    assert found["gauc"] == pytest.approx(grouped_auc(USERS, Y, scores))
    assert found["ndcg@5"] == pytest.approx(ndcg(USERS, Y, scores, k=5))
    assert found["hit_rate"] == pytest.approx(hit_rate(USERS, Y, scores, k=1))
    assert found["log_loss"] == pytest.approx(-np.log(np.where(Y, scores, 1 - scores)).mean(), rel=1e-5)


def test_inputs_that_training_keeps_from_the_model_are_kept_from_it_here(model: Any, tmp_path: Path) -> None:
    train_args = {"model_call_exclude_input_index": "uid", "input_squeeze": True, "metrics": "auc"}
    assert "auc" in measured(tmp_path, kind="users", eval_args=eval_args(), train_args=train_args)
    own = eval_args(model_call_exclude_input_index=[])
    assert "auc" in measured(tmp_path, kind="one", eval_args=own, train_args=train_args)


@pytest.mark.parametrize("metrics", [["auc"], [["auc"], ["auc"]], {"click": "auc", "like": "auc"}])
def test_several_outputs(keras: KerasVersion, metrics: Any, tmp_path: Path) -> None:
    made = two_outputs(keras)
    save(made, tmp_path / "model.keras")
    found = measured(tmp_path, kind="two_labels", eval_args=eval_args(metrics=metrics, losses="bce"))
    assert list(found) == ["loss", "click_loss", "like_loss", "click_auc", "like_auc"]
    assert found["loss"] == pytest.approx(found["click_loss"] + found["like_loss"], rel=1e-5)
    scores = made(X)[1].numpy()
    assert found["like_auc"] == pytest.approx(grouped_auc(np.zeros(100), 1 - Y, scores), abs=0.02)


OWN_METRICS = (
    SCRIPT
    + """

class TwoValues(tf.keras.metrics.Metric):
    def update_state(self, y_true, y_pred, sample_weight=None):
        pass

    def result(self):
        return {"one": tf.constant(1.0)}


def two_values():
    return TwoValues(name="two_values")
"""
)


def failure(folder: Path, **job: Any) -> str:
    """Why the only model was not evaluated."""
    (failed,) = run(folder, **job).failed
    return str(failed.error)


def test_a_metric_with_another_kind_of_value_is_named(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    said = failure(tmp_path, script=OWN_METRICS, eval_args=eval_args(metrics=["two_values"]))
    assert said.startswith("metric 'two_values' has a dict as its result")


def test_user_ids_that_are_no_column_are_refused(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    metric = {"type": "gauc", "args": {"user_id_index": "uid"}}
    args = eval_args(metrics=[metric], model_call_exclude_input_index="uid", input_squeeze=True)
    said = failure(tmp_path, kind="ragged_users", eval_args=args)
    assert "metric 'gauc' needs one user id for each row, but this is a ragged tensor" in said


def test_a_metric_that_keras_refuses_is_named(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    metric = {"type": "auc", "args": {"multi_label": True, "num_labels": 3, "name": "areas"}}
    assert "where:    in the metric 'areas'" in failure(tmp_path, eval_args=eval_args(metrics=[metric]))


def test_one_input_that_is_left_may_need_to_be_squeezed(tmp_path: Path) -> None:
    package = keras_module(3)
    save(package.Sequential([package.Input((4,)), package.layers.Dense(1)]), tmp_path / "model.keras")
    said = failure(tmp_path, kind="users", eval_args=eval_args(metrics="mse", model_call_exclude_input_index="uid"))
    assert 'one input is left in a dict: "input_squeeze": true' in said and "\x1b" not in said
    assert "came:     features: (?, 4) float32" in said


def test_inputs_of_no_known_shape_get_a_hint(tmp_path: Path) -> None:
    save(classifier(3), tmp_path / "model.keras")
    said = failure(tmp_path, kind="bare_python", eval_args=eval_args(metrics="mse"))
    assert "(any shape)" in said and "tf.ensure_shape" in said and "\x1b" not in said


def test_datasets_that_differ_are_both_shown(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    with pytest.raises(DataError) as caught:
        run(tmp_path, kind="different", eval_args=eval_args(metrics="auc"))
    assert "(0): x: (?, 4) float32, y: (?,) float32" in str(caught.value)
    assert "(1): x: (?, 3) float32, y: (?,) float32, weight: (?,) float32" in str(caught.value)


def test_an_empty_dataset_is_named(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    with pytest.raises(DataError, match=r"the test set \(none\) is empty"):
        run(tmp_path, kind="empty", eval_args=eval_args(metrics="auc"))


def test_an_endless_dataset_needs_an_end(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    with pytest.raises(DataError, match=r"test set is endless(.|\n)*eval_args.num_test_samples"):
        run(tmp_path, kind="endless", eval_args=eval_args(metrics="auc"))
    comparison = run(tmp_path, kind="endless", eval_args=eval_args(metrics="auc", num_test_samples=70))
    assert comparison.models[0].datasets[0].samples == 96, "whole batches"


@pytest.mark.parametrize("kind", ["generator", "filtered", "interleaved"])
def test_a_dataset_whose_end_nobody_knows_ends_where_the_job_says(kind: str, tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    comparison = run(tmp_path, kind=kind, eval_args=eval_args(metrics="auc", num_test_samples=70))
    assert comparison.models[0].datasets[0].samples == 96


def test_a_dataset_with_an_end_is_read_to_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(classifier(2), tmp_path / "model.keras")
    comparison = run(tmp_path, kind="one", eval_args=eval_args(metrics="auc", num_test_samples=10))
    assert comparison.models[0].datasets[0].samples == 100
    assert capsys.readouterr().err.count("num_test_samples has no effect on the test set") == 1


def test_a_job_without_metrics_and_losses_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(InvalidJob, match=r"job.json:1: eval_args: there is nothing to measure"):
        run(tmp_path, eval_args={"metrics": []})


def test_a_job_that_says_skip_does_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, skip=True).models == []
    assert not (tmp_path / "evaluation.json").exists()


def test_results_are_written(tmp_path: Path) -> None:
    path = save(classifier(2), tmp_path / "model.keras")
    found = measured(tmp_path, kind="dict", eval_args=eval_args(metrics="auc"))
    written = json.loads((tmp_path / "evaluation.json").read_text())
    assert written["eval_results"] == [["classifier", str(path), found]]
    assert (written["baseline"], written["failed"]) == ("classifier", [])
    (model,) = written["models"]
    assert model["samples"] == 100 and model["seconds"] > 0
    assert [(part["name"], part["samples"]) for part in model["datasets"]] == [("new", 30), ("old", 70)]
    assert model["datasets"][0]["metrics"] == {"auc": found["auc(new)"]}
    assert json.loads((tmp_path / ".model_evaluation_output").read_text()) == {"eval_results": written["eval_results"]}


def test_output_files_can_be_chosen(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    measured(tmp_path, eval_args=eval_args(metrics="auc", output_file="out/scores.json"), output_file="x/result")
    assert "baseline" in json.loads((tmp_path / "out" / "scores.json").read_text())
    assert "eval_results" in json.loads((tmp_path / "result").read_text())
    assert not (tmp_path / "evaluation.json").exists()
    trains = {"train_args": {"losses": "bce"}, "output_file": "models.txt"}
    measured(tmp_path, eval_args=eval_args(metrics="auc"), **trains)
    assert (tmp_path / ".model_evaluation_output").exists(), "models.txt is where the training names its models"
    assert not (tmp_path / "models.txt").exists()


@pytest.mark.parametrize("job", [{"output_file": "evaluation.json"}, {"output_file": "./x/evaluation.json"}])
def test_one_file_for_both_has_everything(job: dict[str, Any], tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    found = measured(tmp_path, eval_args=eval_args(metrics="auc"), **job)
    written = json.loads((tmp_path / "evaluation.json").read_text())
    assert written["eval_results"][0][2] == found
    assert written["complete"] is True and len(written["models"]) == 1 and written["failed"] == []


@pytest.mark.parametrize("name", ["evaluation.json", ".model_evaluation_output", "evaluation.html"])
def test_a_file_that_cannot_be_written_is_found_first(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(StorageError, match=f"{name}: it is a directory"):
        run(tmp_path, eval_args=eval_args(metrics="auc"))


def test_results_do_not_take_the_place_of_the_report(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"evaluation.html is the page of the report"):
        run(tmp_path, eval_args=eval_args(metrics="auc", output_file="evaluation.html"))


def test_results_are_shown_before_they_are_written(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    seen: list[Any] = []

    def show(comparison: Comparison) -> None:
        seen.append(comparison)
        (tmp_path / "evaluation.json").mkdir()

    job_file = write_evaluation(tmp_path, eval_args=eval_args(metrics="auc"))
    with pytest.raises(StorageError, match=r"cannot write .*evaluation\.json"):
        evaluate(JobRequest(job_file=job_file), EvaluateOptions(), show=show)
    assert list(seen[0].models[0].metrics) == ["auc"]


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    script = "import numpy as np\nimport tensorflow as tf\n\ndef awf_create_test_dataset_fn():\n"
    script += "    return tf.data.Dataset.from_tensor_slices((np.ones((5, 4), 'float32'), np.zeros(5, 'float32')))\n"
    found = measured(tmp_path, script=script, eval_args=eval_args(metrics="calibration"))
    assert np.isnan(found["calibration"])
    text = (tmp_path / "evaluation.json").read_text()
    assert json.loads(text)["eval_results"][0][2] == {"calibration": None}


def test_the_report_shows_the_table(tmp_path: Path) -> None:
    save(classifier(2), tmp_path / "model.keras")
    models = [{"path": "model.keras", "name": "good"}, {"path": "missing", "name": "odd"}]
    run(tmp_path, kind="dict", eval_args=eval_args(metrics="auc", report=True, models=models), name="nightly")
    page = (tmp_path / "evaluation.html").read_text()
    assert "auc(new)" in page and "nightly" in page and "<svg" in page
    assert f"good: {tmp_path}/model.keras" in page
    assert f"odd ({tmp_path}/missing) was not evaluated: " in page
    run(tmp_path, kind="dict", eval_args=eval_args(metrics="auc", report=False))
    assert not (tmp_path / "evaluation.html").exists(), "the page of another evaluation does not stay"


def test_no_page_of_an_earlier_evaluation_stays_when_all_models_fail(tmp_path: Path) -> None:
    (tmp_path / "evaluation.html").write_text("earlier")
    assert len(run(tmp_path, eval_args=eval_args(models="missing", metrics="auc", report=True)).failed) == 1
    assert not (tmp_path / "evaluation.html").exists()
