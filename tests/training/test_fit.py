"""Where a training ends, and what its data may be."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from runyard.checkpoint.store import CheckpointStore
from runyard.config.train_args import Checkpoint
from runyard.errors import DataError
from runyard.training.boundaries import At, Every
from runyard.training.checkpoints import Checkpoints
from runyard.training.observers.base import Observer, Run
from runyard.training.pace import Pace
from tests.training.trainings import X, Y, apart, rows, same_bits, small_model, trained, training_of, weights_of


@pytest.mark.parametrize("steps_per_call", [1, 7, 100, None])
def test_an_endless_dataset_has_epochs_of_so_many_steps(steps_per_call: int | None) -> None:
    epochs: list[tuple[int, int]] = []

    class Recorder(Observer):
        def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
            epochs.append((run.batch, results["rows"]))

    training = training_of(
        small_model(),
        rows(X, Y, batch=4).repeat(),
        steps_per_epoch=3,
        steps_per_call=steps_per_call,
        observers=[Recorder()],
    )
    outcome = training()
    assert (outcome.epochs, outcome.step, outcome.reason) == (3, 9, "3 epochs done")
    assert epochs == [(3, 12)] * 3


def test_an_endless_dataset_goes_on_where_the_last_epoch_ended() -> None:
    """Five batches of four rows: epochs of three steps end elsewhere in the data each time."""
    endless = trained(small_model(), rows(X, Y, batch=4).repeat(), steps_per_epoch=3, epochs=5)
    assert same_bits(endless, trained(small_model(), rows(X, Y, batch=4), epochs=3))


@pytest.mark.parametrize(("max_steps", "epochs"), [(1, 0), (3, 1), (5, 1), (6, 2), (100, 2)])
@pytest.mark.parametrize("steps_per_call", [1, 4, None])
def test_a_run_ends_after_so_many_steps(max_steps: int, epochs: int, steps_per_call: int | None) -> None:
    training = training_of(
        small_model(), rows(X, Y), epochs=2, max_steps=max_steps, steps_per_call=steps_per_call, metrics=["mae"]
    )
    outcome = training()
    assert (outcome.step, outcome.epochs) == (min(max_steps, 6), epochs)
    assert not outcome.stopped_early
    assert set(outcome.results) == {"loss", "mae"}


@pytest.mark.parametrize("known", [True, False], ids=["known size", "unknown size"])
def test_a_run_that_ends_with_an_epoch_validates_and_tells_observers(known: bool) -> None:
    told: list[tuple[int, set[str]]] = []

    class Recorder(Observer):
        def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
            told.append((run.step, set(results)))

    dataset = rows(X, Y) if known else rows(X, Y).filter(lambda x, y: True)
    training = training_of(
        small_model(), dataset, validation=rows(X, Y), max_steps=3, observers=[Recorder()], steps_per_call=1
    )
    outcome = training()
    assert (outcome.epochs, outcome.step, outcome.reason) == (1, 3, "3 steps done")
    assert told == [(3, {"loss", "val_loss", "rows"})]
    assert "val_loss" in outcome.results


def test_the_weights_in_the_middle_of_an_epoch_are_those_of_the_steps_so_far() -> None:
    stopped = trained(small_model(), rows(X, Y, batch=4), max_steps=2)
    assert apart(stopped, trained(small_model(), rows(X[:8], Y[:8], batch=4), epochs=1)) == 0.0


def test_an_observer_can_end_it_in_the_middle_of_an_epoch() -> None:
    class Stopper(Observer):
        def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
            if run.step == 2:
                run.request_stop("enough")

    outcome = training_of(small_model(), rows(X, Y), observers=[Stopper()], steps_per_call=1)()
    assert (outcome.step, outcome.reason, outcome.stopped_early) == (2, "enough", True)


def test_an_empty_dataset_is_refused() -> None:
    with pytest.raises(DataError, match="the training set is empty"):
        training_of(small_model(), rows(X, Y).take(0))()


def test_a_dataset_that_can_be_read_once_only_is_told() -> None:
    once = iter(zip(X, Y, strict=True))
    spec = (tf.TensorSpec((4,)), tf.TensorSpec(()))
    dataset = tf.data.Dataset.from_generator(lambda: once, output_signature=spec).batch(8)
    with pytest.raises(DataError, match="empty in epoch 2: it can be read once only"):
        training_of(small_model(), dataset)()


def test_an_empty_validation_set_is_refused() -> None:
    with pytest.raises(DataError, match="the validation set is empty"):
        training_of(small_model(), rows(X, Y), validation=rows(X, Y).take(0))()


def test_calls_end_where_something_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pace, "steps", 100)
    ends: list[int] = []

    class Watcher(Observer):
        boundaries = (Every(4), At(7))

        def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
            ends.append(run.step)

    training_of(small_model(), rows(X, Y, batch=2), epochs=2, observers=[Watcher()])()
    assert ends == [4, 7, 8, 10, 12, 16, 20]


def test_weights_do_not_change_in_validation() -> None:
    model = small_model(dropout=0.3)
    training = training_of(model, rows(X, Y), validation=rows(X, Y), metrics=["auc"])
    training()
    before = weights_of(model)
    assert training.evaluations[""]() == training.evaluations[""]()
    assert same_bits(before, weights_of(model))


def test_the_last_checkpoint_is_never_said_to_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first one is still being written when the last epoch ends, and the last one is written all the same."""
    go_on = threading.Event()
    write = CheckpointStore.write

    def wait_and_write(self: CheckpointStore, *args: Any, **options: Any) -> Path:
        assert go_on.wait(30)
        return write(self, *args, **options)

    class Releaser(Observer):
        def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
            if run.epoch == 1:
                threading.Timer(0.5, go_on.set).start()

    monkeypatch.setattr(CheckpointStore, "write", wait_and_write)
    training = training_of(small_model(), rows(X, Y), epochs=2, observers=[Releaser()])
    published: list[str] = []
    parts = training.fit.parts()
    training.fit(
        Checkpoints(tmp_path, config=Checkpoint(), parts=parts, published=lambda path: published.append(path.name))
    )
    assert published == ["step-000000000003", "step-000000000006"]
    assert "left out" not in capfd.readouterr().err
