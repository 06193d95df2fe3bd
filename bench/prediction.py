"""Predictions with their file: against `model.predict` for each batch with the same file, and against no file."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.pairs import Comparison, compare
from bench.training import FEATURES, model, tf
from runyard.bridge import keras_module
from runyard.config.eval_args import PredictArgs
from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition
from runyard.predictions.encoders import encoder_for
from runyard.predictions.features import features_of
from runyard.predictions.forward import ForwardPass
from runyard.predictions.part import PartFile, Places, publish
from runyard.predictions.progress import Progress, Written
from runyard.predictions.run import PredictionRun
from runyard.predictions.writing import BackgroundWriting

BATCH = 1024


def data(rows: int) -> Any:
    x = np.random.default_rng(0).standard_normal((rows, FEATURES)).astype("float32")
    return tf.data.Dataset.from_tensor_slices(x)


class Ours:
    """All rows of a callback's dataset into a file, as `runyard predict` does it."""

    def __init__(self, net: Any, dataset: Any, *, folder: Path) -> None:
        self._dataset = prepare(dataset, batch_size=BATCH, already_batched=False, config=Input()).dataset
        spec, args = self._dataset.element_spec, PredictArgs()
        self._forward = ForwardPass(net, features=features_of(spec, args=args), element=spec)
        self._encoder = encoder_for(self._forward.columns, args=args)
        self._places = Places(folder / "ours.csv")

    def __call__(self) -> float:
        run = PredictionRun(self._forward, DataPosition(self._dataset, say=print), BATCH)
        part = PartFile(self._places.part)
        writing = BackgroundWriting(
            part, encoder=self._encoder, written=Written(), progress=Progress(self._places.progress)
        )
        run.rest(run.first(), writing=writing, stop=lambda: False, tell=lambda rows, batches: None)
        writing.finish()
        part.close()
        publish(self._encoder.finish(part.path), self._places.result)
        return float(run.rows)

    def results(self) -> Any:
        return np.loadtxt(self._places.result, skiprows=1, dtype="float32")


class PredictLoop:
    """`model.predict` for each batch, and a line for each row."""

    def __init__(self, net: Any, dataset: Any, *, folder: Path) -> None:
        self._net = net
        self._dataset = dataset.batch(BATCH).prefetch(tf.data.AUTOTUNE)
        self._path = folder / "loop.csv"

    def __call__(self) -> float:
        with self._path.open("w") as file:
            file.write("output\n")
            rows = 0
            for batch in self._dataset:
                for row in self._net.predict(batch, verbose=0):
                    file.write(",".join(map(str, row)) + "\n")
                    rows += 1
        return float(rows)

    def results(self) -> Any:
        return np.loadtxt(self._path, skiprows=1, dtype="float32")


class BareForward:
    """The compiled forward pass for each batch. Nothing is written."""

    def __init__(self, net: Any, dataset: Any, *, folder: Path) -> None:
        self._dataset = prepare(dataset, batch_size=BATCH, already_batched=False, config=Input()).dataset
        self._forward = tf.function(lambda batch: net(batch, training=False))

    def __call__(self) -> float:
        self._last = [self._forward(batch) for batch in self._dataset]
        return float(sum(len(outputs) for outputs in self._last))

    def results(self) -> Any:
        return np.concatenate([outputs.numpy() for outputs in self._last])[:, 0]


def comparisons() -> Iterator[Comparison]:
    for version in (2, 3):
        for other, rows, target in ((PredictLoop, 50_000, 3.0), (BareForward, 400_000, 0.9)):
            yield _one(version, other, rows=rows, target=target)


def _one(version: Any, other: Callable[..., Any], *, rows: int, target: float) -> Comparison:
    net, dataset = model(keras_module(version)), data(rows)
    name = f"prediction, Keras {version}: with a file, against {other.__name__}"
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = (side(net, dataset, folder=Path(folder)) for side in (Ours, other))
        found = compare(name, ours, theirs, target=target)
        worst = float(np.abs(ours.results() - theirs.results()).max())
    if worst > 1e-6:
        sys.exit(f"{name}: the two sides differ by {worst:.1e}")
    return found
