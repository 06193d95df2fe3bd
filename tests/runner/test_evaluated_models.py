"""Which models `runyard evaluate` takes, how they are loaded, and what becomes of those that fail."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.config import InvalidJob
from runyard.errors import CallbackFailed, DataError, ModelError, StorageError
from runyard.runner.evaluate import EvaluateOptions
from tests.runner.evaluations import SCRIPT, bare_graph, classifier, data, measured, run, save, two_outputs

X, Y = (data()[name] for name in ("X", "Y"))


def eval_args(models: Any = None, **args: Any) -> dict[str, Any]:
    return {"models": models or [], "metrics": ["auc"], "losses": "bce", "report": False, **args}


def names(comparison: Any) -> list[str]:
    return [model.name for model in comparison.models]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, tensorflow: Any) -> Path:
    """Three models that differ, on disk."""
    folder = tmp_path_factory.mktemp("shelf")
    for name, seed in (("a", 1), ("b", 2), ("c", 3)):
        save(classifier(2, seed=seed, name=name), folder / f"{name}.keras")
    return folder


@pytest.mark.parametrize("suffix", ["", ".keras", ".h5"])
def test_every_form_of_a_saved_model_is_evaluated(keras: KerasVersion, suffix: str, tmp_path: Path) -> None:
    model = classifier(keras)
    save(model, tmp_path / f"model{suffix}")
    found = measured(tmp_path, eval_args=eval_args(f"model{suffix}"))
    scores = model(X).numpy()[:, 0]
    assert found["loss"] == pytest.approx(-np.log(np.where(Y, scores, 1 - scores)).mean(), rel=1e-4)


@pytest.mark.parametrize("metrics", ["auc", {"like": "auc"}])
def test_a_graph_without_keras_keeps_the_names_of_its_outputs(metrics: Any, tmp_path: Path) -> None:
    from runyard.models import load_model, models_to_save, save_models

    made = two_outputs(3)
    (saved,) = save_models(models_to_save(made, default_name="x"), directory=tmp_path / "saved", record={})
    (saved.path / "model.keras").unlink()
    assert load_model(saved.path).output_names == ["click", "like"]
    found = measured(tmp_path, kind="two_labels", eval_args=eval_args("saved", metrics=metrics))
    assert {"click_loss", "like_auc"} <= set(found)


def test_a_graph_that_no_keras_made(tmp_path: Path) -> None:
    bare_graph(tmp_path / "graph")
    found = measured(tmp_path, eval_args=eval_args("graph", metrics=["auc", "bacc", "f1"]))
    assert found["bacc"] == pytest.approx(((X[:, 0] > 0) == Y).mean())


@pytest.mark.parametrize("returned", ["lambda x: tf.sigmoid(x[:, :1])", "tf.function(lambda x: tf.sigmoid(x[:, :1]))"])
def test_the_scripts_loader_may_return_any_function(returned: str, tmp_path: Path) -> None:
    script = SCRIPT + f"\n\ndef awf_load_model_fn(path, name):\n    return {returned}\n"
    found = measured(tmp_path, script=script, eval_args=eval_args("nowhere", metrics=["bacc"]))
    assert found["bacc"] == pytest.approx(((X[:, 0] > 0) == Y).mean())


def test_the_scripts_loader_gets_path_name_and_purpose(shelf: Path, tmp_path: Path) -> None:
    script = (
        SCRIPT
        + """

def awf_load_model_fn(path, name, purpose, suffix):
    assert purpose == "evaluate"
    return None if name == "left out" else tf.keras.models.load_model(path + suffix, compile=False)
"""
    )
    models = [{"path": str(shelf / "a"), "name": "one"}, {"path": "nowhere", "name": "left out"}, str(shelf / "b")]
    comparison = run(tmp_path, script=script, load_model_args={"suffix": ".keras"}, eval_args=eval_args(models))
    assert names(comparison) == ["one", "b"] and comparison.failed == []
    with pytest.raises(ModelError, match="awf_load_model_fn returned None for every model"):
        run(tmp_path, script=script, load_model_args={"suffix": ""}, eval_args=eval_args(models[1:2]))


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_layers_of_the_script_are_found(keras: KerasVersion, suffix: str, tmp_path: Path) -> None:
    package = keras_module(keras)

    class Double(package.layers.Layer):
        def call(self, x: Any) -> Any:
            return x * 2

    given = package.Input((4,))
    model = package.Model(given, package.layers.Dense(1, activation="sigmoid")(Double()(given)))
    save(model, tmp_path / f"model{suffix}")
    keras_name = "tf.keras" if keras == 2 else "keras"
    script = f"import keras\n{SCRIPT}\n\nclass Double({keras_name}.layers.Layer):\n    def call(self, x):\n"
    script += "        return x * 2\n"
    found = measured(tmp_path, script=script, eval_args=eval_args(f"model{suffix}"))
    scores = model(X).numpy()[:, 0]
    assert found["loss"] == pytest.approx(-np.log(np.where(Y, scores, 1 - scores)).mean(), rel=1e-4)
    failed = run(tmp_path, eval_args=eval_args(f"model{suffix}")).failed
    assert [type(model.error) for model in failed] == [ModelError], "without the class it cannot be rebuilt"


def test_models_are_compared_in_the_order_given(shelf: Path, tmp_path: Path) -> None:
    models = [{"path": str(shelf / "b.keras")}, str(shelf / "a.keras"), {"path": str(shelf / "c.keras"), "name": "a"}]
    again = [str(shelf / "b.keras"), str(shelf / "." / ".." / shelf.name / "b.keras")]
    comparison = run(tmp_path, eval_args=eval_args([*models, *again]))
    assert names(comparison) == ["b", "a", "a_1"], "a path that is named again is dropped, a name gets a number"
    assert comparison.baseline == "a_1"


def test_one_path_under_two_names_is_two_models(shelf: Path, tmp_path: Path) -> None:
    path = str(shelf / "a.keras")
    models = [{"path": path, "name": "one"}, {"path": path, "name": "two"}, path, {"path": path, "name": "one"}]
    comparison = run(tmp_path, eval_args=eval_args([*models, str(shelf / "b.keras")], baseline="two"))
    assert names(comparison) == ["one", "two", "b"] and comparison.baseline == "two"


@pytest.mark.parametrize("kind", ["some", "some_forever", "some_inside", "noise"])
def test_every_model_sees_the_same_rows(kind: str, shelf: Path, tmp_path: Path) -> None:
    path = str(shelf / "a.keras")
    models = [{"path": path, "name": "one"}, str(shelf / "b.keras"), {"path": path, "name": "again"}]
    args = eval_args(models, batch_size=10, num_test_samples=40)
    first, other, again = (model.metrics for model in run(tmp_path, kind=kind, eval_args=args).models)
    assert first == again != other


def test_what_finished_models_score_is_kept_when_the_evaluation_is_ended(shelf: Path, tmp_path: Path) -> None:
    script = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    if name == 'b':\n        raise KeyboardInterrupt\n"
    script += "    return tf.keras.models.load_model(path, compile=False)\n"
    models = [{"path": str(shelf / f"{name}.keras"), "name": name} for name in "abc"]
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, script=script, eval_args=eval_args(models))
    written = json.loads((tmp_path / "evaluation.json").read_text())
    assert (written["complete"], written["baseline"]) == (False, None)
    assert [row[0] for row in written["eval_results"]] == ["a"]
    assert not (tmp_path / ".model_evaluation_output").exists()


def test_models_are_relative_to_the_data_path(shelf: Path, tmp_path: Path) -> None:
    shutil.copytree(shelf, tmp_path / "models")
    assert names(run(tmp_path, eval_args=eval_args({"path": "models/a.keras", "name": "mine"}))) == ["mine"]


def test_models_of_an_upstream_file_come_first(shelf: Path, tmp_path: Path) -> None:
    shutil.copytree(shelf, tmp_path, dirs_exist_ok=True)
    (tmp_path / "upstream").write_text(f"{shelf / 'c.keras'}|fresh\nb.keras\n")
    options = EvaluateOptions(upstream=tmp_path / "upstream")
    comparison = run(tmp_path, options=options, eval_args=eval_args("a.keras"))
    assert names(comparison) == ["fresh", "b.keras", "a"]
    with pytest.raises(StorageError, match="cannot read the result file"):
        run(tmp_path, options=EvaluateOptions(upstream=tmp_path / "nothing"), eval_args=eval_args("a.keras"))


def test_the_trained_model_is_the_default(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"there is no trained model(.|\n)*runyard train"):
        run(tmp_path, eval_args=eval_args())
    save(classifier(2, name="trained"), tmp_path / "saved_model")
    assert names(run(tmp_path, eval_args=eval_args())) == ["trained"]
    save(classifier(2, name="other"), tmp_path / "elsewhere")
    (tmp_path / "result").write_text("elsewhere|other\n")
    train_args = {"train_args": {"losses": "bce", "save_path": "gone"}, "output_file": "result"}
    assert names(run(tmp_path, eval_args=eval_args(), **train_args)) == ["other"]


def test_the_online_model_is_what_the_option_or_the_environment_says(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ONLINE_MODEL", raising=False)
    args = eval_args(["${ONLINE_MODEL}$/a.keras", {"name": "new", "path": str(shelf / "b.keras")}])
    with pytest.raises(InvalidJob, match=r"models\[0\](.|\n)*where the online model is(.|\n)*--online-model"):
        run(tmp_path, eval_args=args)
    assert names(run(tmp_path, options=EvaluateOptions(online_model=str(shelf)), eval_args=args)) == ["a", "new"]
    monkeypatch.setenv("ONLINE_MODEL", str(shelf))
    assert names(run(tmp_path, eval_args=args)) == ["a", "new"]


@pytest.mark.parametrize("baseline", ["first", "b", "b.keras"])
def test_a_baseline_is_known_by_name_or_path(baseline: str, shelf: Path, tmp_path: Path) -> None:
    shutil.copytree(shelf, tmp_path, dirs_exist_ok=True)
    models = [{"path": "a.keras", "name": "first"}, "b.keras", "c.keras"]
    comparison = run(tmp_path, eval_args=eval_args(models, baseline=baseline))
    assert comparison.baseline == ("first" if baseline == "first" else "b")


def test_an_unknown_baseline_is_refused_before_evaluating(shelf: Path, tmp_path: Path) -> None:
    models = [{"path": str(shelf / "a.keras"), "name": "first"}, str(shelf / "b.keras")]
    with pytest.raises(InvalidJob) as caught:
        run(tmp_path, kind="empty", eval_args=eval_args(models, baseline="frist"))
    assert "eval_args.baseline: no model that is evaluated has this name" in str(caught.value)
    assert "first, b" in str(caught.value) and "did you mean 'first'?" in str(caught.value)


def broken(path: Path) -> None:
    path.mkdir()
    (path / "saved_model.pb").write_text("not a model")


def test_models_that_fail_do_not_stop_the_others(shelf: Path, tmp_path: Path) -> None:
    broken(tmp_path / "broken")
    save(classifier(2, width=3), tmp_path / "narrow.keras")
    models = ["missing", {"path": "broken", "name": "bad"}, "narrow.keras", str(shelf / "a.keras")]
    comparison = run(tmp_path, eval_args=eval_args(models))
    assert names(comparison) == ["a"] and comparison.baseline == "a"
    kinds = {model.name: type(model.error) for model in comparison.failed}
    assert kinds == {"missing": StorageError, "bad": StorageError, "classifier": DataError}
    assert comparison.exit_code == StorageError.exit_code
    unfit = str(comparison.failed[2].error)
    assert "the test set does not fit the model classifier" in unfit and "(?, 4) float32" in unfit
    written = json.loads((tmp_path / "evaluation.json").read_text())
    assert [model["name"] for model in written["failed"]] == ["missing", "bad", "classifier"]
    assert "there is no model at" in written["failed"][0]["reason"]
    assert [row[0] for row in written["eval_results"]] == ["a"]


def test_a_loader_that_raises_shows_the_users_lines(shelf: Path, tmp_path: Path) -> None:
    script = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    raise RuntimeError('not today')\n"
    (failed,) = run(tmp_path, script=script, eval_args=eval_args(str(shelf / "a.keras"))).failed
    assert isinstance(failed.error, CallbackFailed) and "raise RuntimeError('not today')" in str(failed.error)


def test_a_baseline_that_failed_is_no_baseline(shelf: Path, tmp_path: Path) -> None:
    comparison = run(tmp_path, eval_args=eval_args([str(shelf / "a.keras"), str(shelf / "b.keras"), "missing"]))
    assert names(comparison) == ["a", "b"] and comparison.baseline is None


def test_metrics_that_do_not_fit_are_the_models_failure(shelf: Path, tmp_path: Path) -> None:
    args = eval_args(str(shelf / "a.keras"), metrics={"like": "auc"})
    (failed,) = run(tmp_path, eval_args=args).failed
    assert "metrics name the outputs ['like'], but the outputs are ['click']" in str(failed.error)
