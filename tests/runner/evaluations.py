"""Small models on disk, and jobs that evaluate them in this process."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from runyard.bridge import KerasVersion, keras_module, start_tensorflow
from runyard.bridge.saving import quiet_keras
from runyard.config import JobRequest
from runyard.runner.evaluate import EvaluateOptions, evaluate
from runyard.runner.evaluation.comparison import Comparison

tf = start_tensorflow(2)

SCRIPT = """
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
X = rng.standard_normal((100, 4)).astype("float32")
Y = (X[:, 0] + 0.5 * rng.standard_normal(100) > 0).astype("float32")
USERS = np.array([f"user {number % 7}" for number in range(100)])
WEIGHTS = rng.uniform(0.5, 2.0, 100).astype("float32")


def awf_create_test_dataset_fn(kind="one"):
    slices = tf.data.Dataset.from_tensor_slices
    if kind == "one":
        return slices((X, Y))
    if kind == "tuple":
        return slices((X, Y)), slices((X[:40], 1 - Y[:40]))
    if kind == "dict":
        return {"new": slices((X[:30], Y[:30])), "old": slices((X[30:], Y[30:]))}
    if kind == "different":
        return slices((X, Y)), slices((X[:, :3], Y, WEIGHTS))
    if kind == "users":
        return slices(({"uid": USERS, "features": X}, Y))
    if kind == "weights":
        return slices((X, Y, WEIGHTS))
    if kind == "empty":
        return {"some": slices((X, Y)), "none": slices((X[:0], Y[:0]))}
    if kind == "endless":
        return slices((X, Y)).repeat()
    if kind == "generator":
        def rows():
            while True:
                yield rng.permutation(X[0]), Y[0]
        return tf.data.Dataset.from_generator(rows, output_signature=slices((X, Y)).element_spec)
    if kind == "filtered":
        return slices((X, Y)).repeat().filter(lambda x, y: x[0] > 0)
    if kind == "interleaved":
        return tf.data.Dataset.range(3).interleave(lambda _: slices((X, Y)).repeat(), cycle_length=3)
    if kind == "some":
        return slices((X, Y)).shuffle(100).take(40)
    if kind == "some_forever":
        return slices((X, Y)).shuffle(100).repeat()
    if kind == "some_inside":
        return tf.data.Dataset.range(2).flat_map(lambda _: slices((X, Y)).shuffle(100).take(20))
    if kind == "noise":
        return slices((X, Y)).map(lambda x, y: (x + tf.random.normal([4]), y))
    if kind == "ragged_users":
        users = tf.RaggedTensor.from_row_lengths(USERS, [1] * 100)
        return slices(({"uid": users, "features": X}, Y))
    if kind == "bare_python":
        return slices((X, Y)).map(lambda x, y: (tf.py_function(lambda row: row, [x], tf.float32), y))
    if kind == "two_labels":
        return slices((X, {"click": Y, "like": 1 - Y}))
    raise ValueError(f"no such kind: {kind}")
"""


def data() -> dict[str, Any]:
    """The arrays of the script."""
    names: dict[str, Any] = {}
    exec(SCRIPT, names)
    return names


def classifier(keras: KerasVersion, *, seed: int = 1, name: str = "classifier", width: int = 4) -> Any:
    """Predicts from its first input, and a little from the others."""
    package = keras_module(keras)
    given = package.Input((width,), name="features")
    model = package.Model(given, package.layers.Dense(1, activation="sigmoid", name="click")(given), name=name)
    kernel = np.random.default_rng(seed).normal(size=(width, 1)).astype("float32")
    kernel[0] = 1.0
    model.set_weights([kernel, np.zeros(1, "float32")])
    return model


def two_outputs(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    given = package.Input((4,), name="features")
    heads = [package.layers.Dense(1, activation="sigmoid", name=name)(given) for name in ("click", "like")]
    return package.Model(given, heads, name="two")


def save(model: Any, path: Path) -> Path:
    """As the Keras of the model saves it, by the ending of the path; a directory is an export of the graph."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with quiet_keras():
        if path.suffix:
            model.save(str(path))
        elif isinstance(model, keras_module(2).Model):
            model.save(str(path), save_format="tf", include_optimizer=False)
        else:
            model.export(str(path), verbose=False)
    return path


def write_evaluation(folder: Path, *, script: str = SCRIPT, kind: str | None = None, **job: Any) -> Path:
    """A job that evaluates; keys beside `eval_args` may be given, too."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.py").write_text(script)
    written = {"script_name": "script.py", "eval_args": {"metrics": "auc", "report": False}, **job}
    if kind is not None:
        written["test_data_args"] = {"kind": kind}
    (folder / "job.json").write_text(json.dumps(written))
    return folder / "job.json"


def run(folder: Path, *, options: EvaluateOptions | None = None, **job: Any) -> Comparison:
    return evaluate(JobRequest(job_file=write_evaluation(folder, **job)), options or EvaluateOptions())


def measured(folder: Path, **job: Any) -> dict[str, Any]:
    """What the only model scores."""
    comparison = run(folder, **job)
    assert comparison.failed == [], [str(model.error) for model in comparison.failed]
    (model,) = comparison.models
    return model.metrics


def keras_evaluates(model: Any, x: Any, y: Any, weights: Any = None, *, metrics: Any, weighted: Any = None) -> Any:
    """What Keras's own `evaluate` says."""
    model.compile(loss="binary_crossentropy", metrics=metrics, weighted_metrics=weighted)
    return model.evaluate(x, y, sample_weight=weights, batch_size=32, verbose=0, return_dict=True)


def bare_graph(path: Path) -> Path:
    """A SavedModel that no Keras made: the score is the first feature, squeezed to 0 to 1."""

    class Scores(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 4], name="features")])
        def score(self, features: Any) -> dict[str, Any]:
            return {"click": tf.sigmoid(features[:, :1])}

    module = Scores()
    tf.saved_model.save(module, str(path), signatures={"serving_default": module.score})
    return path
