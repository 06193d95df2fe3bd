"""spec/001's CSV callbacks as they are written: against Keras `fit`, and against hand-tuned tf.data."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.pairs import Comparison, compare
from bench.training import Ours, model, tf, weights
from runyard.bridge import keras_module

ROWS, COLUMNS, BATCH = 200_000, 129, 128


def write_csv(path: Path) -> None:
    """Two thousand different rows, a hundred times over: parsing does not care."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2_000, COLUMNS - 1))
    rows = np.column_stack([x[:, 0] > 0, x])
    lines = "".join(" ".join(f"{value:.6g}" for value in row) + "\n" for row in rows)
    with path.open("w") as file:
        file.write(" ".join(["label", *(f"x{i}" for i in range(COLUMNS - 1))]) + "\n")
        for _ in range(ROWS // 2_000):
            file.write(lines)


def map_form(file: str) -> Any:
    """The callback as spec/001 prints it: map, and the framework batches."""

    def parse(line: Any) -> Any:
        values = tf.io.decode_csv(line, [[0.0]] * COLUMNS, field_delim=" ")
        return tf.stack(values[1:]), values[0]

    return tf.data.TextLineDataset(file).skip(1).map(parse)


def batch_form(file: str, *, parallel: int | None = None) -> Any:
    """The callback with `batch_size`: batch, then map."""

    def parse(lines: Any) -> Any:
        values = tf.io.decode_csv(lines, [[0.0]] * COLUMNS, field_delim=" ")
        return tf.stack(values[1:], axis=1), tf.expand_dims(values[0], 1)

    return tf.data.TextLineDataset(file).skip(1).batch(BATCH).map(parse, num_parallel_calls=parallel)


class FitOnMap:
    """The map form under Keras `fit`: batched and prefetched, as the original did."""

    def __init__(self, file: str) -> None:
        keras = keras_module(2)
        self.net = model(keras)
        self.net.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
        self._dataset = map_form(file).batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def __call__(self) -> float:
        self.net.fit(self._dataset, verbose=0)
        return float(ROWS)


class Rows:
    """Counts rows instead of steps."""

    def __init__(self, ours: Ours) -> None:
        self._ours = ours
        self.net = ours.net

    def __call__(self) -> float:
        self._ours()
        return float(ROWS)


def comparisons() -> Iterator[Comparison]:
    keras = keras_module(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_csv(path)
        file = str(path)
        ours, theirs = Rows(Ours(keras, map_form(file), batch_size=BATCH)), FitOnMap(file)
        yield _checked("CSV map form: Runyard against KerasFit", ours, theirs, target=4.0)
        tuned = batch_form(file, parallel=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
        ours = Rows(Ours(keras, batch_form(file)))
        yield _checked(
            "CSV batch form: Runyard against hand-tuned tf.data",
            ours,
            Rows(Ours(keras, tuned, as_it_is=True)),
            target=0.97,
        )


def _checked(name: str, ours: Any, theirs: Any, *, target: float) -> Comparison:
    found = compare(name, ours, theirs, target=target)
    worst = max(float(np.abs(a - b).max()) for a, b in zip(weights(ours.net), weights(theirs.net), strict=True))
    if worst > 1e-3:
        sys.exit(f"{name}: the two sides differ, weights by {worst:.1e}")
    return found
