"""What TensorBoard shows of a run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, learning_rate_of
from runyard.bridge.weights import drawable_config, named_weights
from runyard.config.plugins import TensorBoard
from runyard.telemetry import note
from runyard.training.boundaries import Every
from runyard.training.observers.base import Observer, Run, without_rows
from runyard.training.observers.event_folder import EventFolder
from runyard.training.observers.profiling import ProfiledSteps
from runyard.training.observers.projector import Projector
from runyard.training.observers.weight_summaries import write_histograms, write_images


class TensorBoardObserver(Observer):
    """Writes what Keras's TensorBoard callback writes, under the same names, into `train` and `validation`.

    Epochs count from 0. After a resume, nothing is written twice: event files go back to the checkpoint's.

    Args:
        log_dir: where event files go.
        optimizers: those whose learning rates are shown.
        inputs: what the model is called with, as `tf.TensorSpec`s, for its graph; None for no graph.
        data_path: where metadata files of embeddings are looked for when they are not in `log_dir`.
    """

    def __init__(
        self,
        config: TensorBoard,
        *,
        log_dir: Path,
        optimizers: Sequence[Any] = (),
        inputs: Any = None,
        data_path: Path | None = None,
    ) -> None:
        self._config = config
        self._optimizers = optimizers
        self._inputs = inputs
        self._look_in = [log_dir, *([data_path] if data_path else [])]
        self._events = EventFolder(log_dir)
        self._projector: Projector | None = None
        self._every = _batches_between(config.update_freq)
        first, last = config.profile_batch
        # Event files are in there, too: TensorBoard looks for profiles next to them.
        self._profile = ProfiledSteps(first=first, last=last, directory=log_dir / "train")
        self.boundaries = [*([Every(self._every)] if self._every else []), *self._profile.boundaries]

    def on_train_begin(self, run: Run) -> None:
        if self._config.embeddings_freq:
            self._projector = Projector(
                run.model,
                directory=self._events.directory / "train",
                metadata=self._config.embeddings_metadata,
                look_in=self._look_in,
            )
        if self._config.write_images and not self._config.histogram_freq:
            note("tensorboard.write_images needs a histogram_freq above 0, as in Keras: no images are written")
        self._events.open(step=run.step)
        if self._config.write_graph and not self._events.resumed:
            self._write_graph(run.model)
        self._events.flush()
        self._profile.reached(run.step)

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        if steps and self._every and run.step % self._every == 0:
            for name, value in _scalars(run.results()):
                self._events.train.scalar(f"batch_{name}", value, step=run.step)
        self._profile.reached(run.step)

    def on_validation(self, run: Run, results: Mapping[str, Any]) -> None:
        for name, value in _scalars(results):
            plain = name.removeprefix("val_")
            self._events.validation.scalar(f"evaluation_{plain}_vs_iterations", value, step=run.step)

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        for name, value in [*_scalars(results), *self._learning_rates()]:
            file = self._events.validation if name.startswith("val_") else self._events.train
            file.scalar(f"epoch_{name.removeprefix('val_')}", value, step=run.epoch)
        if _due(self._config.histogram_freq, epoch=run.epoch):
            weights = named_weights(run.model)
            write_histograms(self._events.train, weights, step=run.epoch)
            if self._config.write_images:
                write_images(self._events.train, weights, step=run.epoch)
        if self._projector is not None and _due(self._config.embeddings_freq, epoch=run.epoch):
            self._projector.write(step=run.epoch)
        self._events.flush()

    def on_train_end(self, run: Run) -> None:
        self._profile.stop()
        self._events.close()

    def values(self) -> Mapping[str, Any]:
        return self._events.values()

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        if values:
            self._events.load_values(values)

    def _learning_rates(self) -> Iterator[tuple[str, float]]:
        for place, optimizer in enumerate(self._optimizers):
            name = "learning_rate" if len(self._optimizers) == 1 else f"learning_rate_{place}"
            yield name, learning_rate_of(optimizer)

    def _write_graph(self, model: Any) -> None:
        try:
            config = drawable_config(model)
            if config is not None:
                self._events.train.layers(config)
            if self._inputs is not None:
                self._events.train.graph(_graph_of(model, self._inputs))
        except Exception as error:
            first_line = (str(error).splitlines() or [type(error).__name__])[0]
            note(f"TensorBoard will not show the graph of the model: {first_line}")


def _graph_of(model: Any, inputs: Any) -> Any:
    def forward(batch: Any) -> Any:
        return call_model(model, batch, training=False)

    traced = tf.function(forward, autograph=False).get_concrete_function(inputs)
    return traced.graph.as_graph_def(add_shapes=True)


def _scalars(results: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers by name; of a metric with several values, each under its place."""
    for name, value in without_rows(results).items():
        if isinstance(value, list):
            yield from _scalars({f"{name}_{place}": each for place, each in enumerate(value)})
        else:
            yield name, float(value)


def _due(every: int, *, epoch: int) -> bool:
    return every > 0 and epoch % every == 0


def _batches_between(update_freq: int | str) -> int:
    """Batches between two summaries of batches; 0 for none."""
    return update_freq if isinstance(update_freq, int) else {"batch": 1, "epoch": 0}[update_freq]
