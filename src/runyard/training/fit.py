"""The training, from the first step to the last: epochs, calls, validation, checkpoints, stops."""

import contextlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from runyard.checkpoint.state import Stateful
from runyard.cluster import Heartbeat, Phase
from runyard.cluster.signals import StopSignals
from runyard.data.batches import explained
from runyard.data.elsewhere import PositionsElsewhere
from runyard.data.position import DataPosition
from runyard.data.positions import DataPositions
from runyard.errors import DataError, ModelError, TrainingDiverged
from runyard.telemetry import note
from runyard.training.agreement import Agreement, agree
from runyard.training.boundaries import At, Boundary, Every, steps_to_next
from runyard.training.checkpoints import Checkpoints
from runyard.training.engine import Engine
from runyard.training.evaluating import LeavePass
from runyard.training.observers.base import Observer
from runyard.training.pace import Pace
from runyard.training.shard_state import PART, ShardStates
from runyard.training.validation import Validation
from runyard.training.workers import is_chief


@dataclass(frozen=True)
class Limits:
    """How long a training goes on.

    Args:
        steps_per_epoch: where an epoch of an endless dataset ends; None for where the data end.
        max_steps: ends the whole run, in the middle of an epoch if need be.
        steps_per_call: None to find a good number.
        checkpoint_every: steps at which a call must end so that a checkpoint can be taken.
    """

    epochs: int
    steps_per_epoch: int | None = None
    max_steps: int | None = None
    steps_per_call: int | None = None
    checkpoint_every: int | None = None


@dataclass(frozen=True)
class Outcome:
    """How a training ended."""

    epochs: int
    step: int
    results: Mapping[str, Any]
    reason: str
    stopped_early: bool


class Fit:
    """One training. It is also what observers see of it (`observers.base.Run`).

    Args:
        explain: the context in which steps run: turns what Keras raises into errors for people.
        heartbeat: told how far it is.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        data: DataPosition | DataPositions | PositionsElsewhere,
        validation: Validation,
        observers: Sequence[Observer],
        limits: Limits,
        signals: StopSignals,
        explain: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self._engine = engine
        self._workers = engine.workers
        self._heartbeat = heartbeat or Heartbeat()
        self._agreed: Agreement | None = None
        self._explain = explain
        self._data = data
        self._validation = validation
        self._observers = observers
        self._limits = limits
        self._signals = signals
        self._pace = Pace(fixed=limits.steps_per_call)
        self._stop_reason: str | None = None
        self._has_run = False
        self._has_noted_random = False
        self._has_noted_divergence = False
        self._last_results: dict[str, Any] = {}
        self.step = 0

    @property
    def model(self) -> Any:
        return self._engine.model

    @property
    def epoch(self) -> int:
        return self._data.epoch

    @property
    def batch(self) -> int:
        return self._data.batches

    @property
    def is_chief(self) -> bool:
        return is_chief(self._workers)

    def results(self) -> dict[str, Any]:
        return self._engine.results()

    def use_results(self, results: Mapping[str, Any]) -> None:
        self._last_results = dict(results)

    def request_stop(self, reason: str) -> None:
        self._stop_reason = self._stop_reason or reason

    def parts(self) -> dict[str, Stateful]:
        """Everything that a checkpoint holds."""
        observers: dict[str, Stateful] = {}
        for observer in self._observers:
            kind = type(observer).__name__
            observers[f"{kind}_{sum(name.startswith(kind) for name in observers)}"] = observer
        positions = self._data.parts
        parts = {**self._engine.parts(), "data": positions[0], **observers, "fit": self}
        division = self._engine.division
        if division.shards > 1:
            own = {
                shard.index: {**self._engine.parts_of_shard(place), "data": positions[place]}
                for place, shard in enumerate(division.owned_by(self._workers))
            }
            parts[PART] = ShardStates(self._workers, division, own)
        return parts

    def tensors(self) -> Mapping[str, Any]:
        return {}

    def values(self) -> Mapping[str, Any]:
        return {"step": self.step, "stop_reason": self._stop_reason, "results": self._last_results}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.step = int(values["step"])
        self._stop_reason = values["stop_reason"]
        self._last_results = dict(values["results"])

    def __call__(self, checkpoints: Checkpoints | None) -> Outcome:
        """Trains until the end.

        Raises:
            Interrupted, Terminated: after a signal, when everything is saved.
            TrainingDiverged: if a loss is not finite and the job asks to stop then.
            PeerLost: if another worker is gone.
        """
        self._heartbeat.beat(self.step, phase=Phase.STARTING)
        self._tell(lambda observer: observer.on_train_begin(self))
        self._meet(checkpoints)
        if self._ended() is not None and self.batch and self._epoch_ends_here(checkpoints):
            # The run was killed while it closed its last epoch.
            self._close_epoch(checkpoints)
        while self._ended() is None:
            self._one_epoch(checkpoints)
        if checkpoints is not None:
            checkpoints.finish(step=self.step, epochs_done=self.epoch)
        self._settle()
        self._engine.finish()
        self._tell(lambda observer: observer.on_train_end(self))
        return Outcome(self.epoch, self.step, self._last_results, self._ended() or "", self._stop_reason is not None)

    def _one_epoch(self, checkpoints: Checkpoints | None) -> None:
        while not self._one_call():
            agreed = self._meet(checkpoints)
            self._obey_signals(checkpoints)
            if self._ended() is not None:
                self._last_results = self._engine.results_of_all()
                if self._epoch_ends_here(checkpoints):
                    break
                return
            if checkpoints is not None and agreed.save:
                checkpoints.begin(step=self.step)
        self._close_epoch(checkpoints)

    def _close_epoch(self, checkpoints: Checkpoints | None) -> None:
        self._engine.flush()
        self._settle()
        try:
            self._end_epoch()
        except LeavePass:
            # Nothing of the epoch's end has happened yet: a resumed run comes here again.
            self._meet(checkpoints)
            self._obey_signals(checkpoints)
        agreed = self._meet(checkpoints, epochs_done=self.epoch)
        if checkpoints is not None and agreed.save and self._ended() is None:
            checkpoints.begin(step=self.step, epochs_done=self.epoch)
        self._obey_signals(checkpoints)

    def _settle(self) -> None:
        """What comes now may take long: a validation, observers, a checkpoint, the model."""
        self._heartbeat.beat(self.step, phase=Phase.SAVING)
        self._engine.own.settle()

    def _meet(self, checkpoints: Checkpoints | None, *, epochs_done: int | None = None) -> Agreement:
        """Decides with the other workers what comes next."""
        # A run that ends writes its last checkpoint anyway; until then the chief's clock says when one is due.
        ends = self._ended() is not None or self._signals.received is not None
        asked = checkpoints if self.is_chief and not ends else None
        mine = Agreement(
            signal=self._signals.received,
            stop_reason=self._stop_reason,
            save=asked is not None and asked.due(step=self.step, epochs_done=epochs_done),
            steps=self._next_steps(),
        )
        self._agreed = agree(mine, workers=self._workers)
        self._stop_reason = self._agreed.stop_reason
        return self._agreed

    def _next_steps(self) -> int:
        """How many steps go well together in the next call."""
        wanted = steps_to_next(self._boundaries(), step=self.step, at_most=self._pace.steps)
        if self._limits.steps_per_epoch is not None:
            wanted = min(wanted, self._limits.steps_per_epoch - self.batch)
        return wanted

    def _epoch_ends_here(self, checkpoints: Checkpoints | None) -> bool:
        """Whether the last step of the run is the last of its epoch, too. Saves first: looking may read a batch."""
        if checkpoints is not None:
            checkpoints.finish(step=self.step, epochs_done=self.epoch)
        return not self._workers.totals([not self._data.at_end()])[0]

    def _one_call(self) -> bool:
        """Runs as many steps as were agreed on; True when the epoch is over."""
        assert self._agreed is not None, "all have met before"
        if self._has_run:
            self._heartbeat.beat(self.step)
        started = time.perf_counter()
        what = f"training epoch {self.epoch + 1} after batch {self.batch}"
        with self._explain(), explained(what), self._workers.refusing_lost_peers():
            done = self._engine.run(self._data.iterator, at_most=self._agreed.steps)
        seconds = time.perf_counter() - started
        self._has_run = True
        self.step += done.steps
        self._heartbeat.beat(self.step)
        self._data.advance(done.steps)
        self._pace.learn(steps=done.steps, seconds=seconds)
        self._note_unsaveable_random()
        self._refuse_divergence()
        if done.steps:
            self._note_divergence()
        if done.ended and self.batch == 0:
            when = f" in epoch {self.epoch + 1}: it can be read once only" if self.epoch else ""
            raise DataError(
                f"the training set is empty{when}", hint="look at file names, filters and dropped remainders"
            )
        if done.steps:
            self._tell(lambda observer: observer.on_steps(self, steps=done.steps, seconds=seconds))
        return done.ended or self.batch == self._limits.steps_per_epoch

    def _end_epoch(self) -> None:
        results = {**self._engine.results_of_all(), "rows": self._engine.sums.rows}
        if self._validation.due(epochs_done=self.epoch + 1):
            found = self._validation(epoch=self.epoch, between_calls=self._in_validation)
            self._heartbeat.beat(self.step, phase=Phase.SAVING)
            self._tell(lambda observer: observer.on_validation(self, found))
            results.update(found)
        self._last_results = {name: value for name, value in results.items() if name != "rows"}
        self._tell(lambda observer: observer.on_epoch_end(self, results))
        self._engine.reset_results()
        self._data.end_epoch()

    def _ended(self) -> str | None:
        """Why the training is over, or None while it is not."""
        if self._stop_reason is not None:
            return self._stop_reason
        if self.epoch >= self._limits.epochs:
            return f"{counted(self.epoch, 'epoch')} done"
        if self._limits.max_steps is not None and self.step >= self._limits.max_steps:
            return f"{counted(self.step, 'step')} done"
        return None

    def _boundaries(self) -> list[Boundary]:
        found = [boundary for observer in self._observers for boundary in observer.boundaries]
        if self._limits.max_steps is not None:
            found.append(At(self._limits.max_steps))
        if self._limits.checkpoint_every is not None:
            found.append(Every(self._limits.checkpoint_every))
        return found

    def _obey_signals(self, checkpoints: Checkpoints | None) -> None:
        """Those that all have agreed on: one that came later must wait for the next meeting."""
        if self._agreed is None or self._agreed.signal is None:
            return
        self._signals.adopt(self._agreed.signal)
        self._heartbeat.beat(self.step, phase=Phase.SAVING)
        if checkpoints is not None:
            checkpoints.save_and_wait(step=self.step)
        raise self._signals.error(saved=checkpoints is not None)

    def _note_unsaveable_random(self) -> None:
        if self._engine.run.unsaveable_random and not self._has_noted_random:
            self._has_noted_random = True
            names = ", ".join(self._engine.run.unsaveable_random)
            note(
                f"the model draws random numbers with tf.random ({names}), whose state cannot be saved: "
                "a resumed run will draw others; use a Keras layer such as Dropout or GaussianNoise instead"
            )

    def _in_validation(self) -> None:
        self._heartbeat.beat(self.step, phase=Phase.VALIDATING)
        if self._signals.received is not None:
            raise LeavePass

    def _refuse_divergence(self) -> None:
        if self._engine.update.stop_on_nan and not bool(self._engine.finite):
            raise TrainingDiverged(
                f"the loss or a gradient is not finite in step {self.step} "
                f"(epoch {self.epoch + 1}, batch {self.batch})",
                hint="lower the learning rate, clip gradients (train_args.gradient), or look at this batch; "
                "the last checkpoint stays",
            )

    def _note_divergence(self) -> None:
        """One line when it first happens; a job with `term_on_nan` ends instead."""
        if not self._has_noted_divergence and not math.isfinite(self._engine.sums.means()["loss"]):
            self._has_noted_divergence = True
            note(
                f"the loss is not finite any more by step {self.step} (epoch {self.epoch + 1}); the training goes on, "
                "train_args.term_on_nan would end it"
            )

    def _tell(self, event: Callable[[Observer], None]) -> None:
        for observer in self._observers:
            event(observer)


def counted(number: int, noun: str) -> str:
    """`1 epoch`, `2 epochs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def steps_in_epoch(rows: int, *, batch_size: int) -> int:
    """How many batches so many rows make."""
    return math.ceil(rows / batch_size)


def refuse_unknown_monitor(monitor: str, *, names: Sequence[str]) -> None:
    """A monitor that matches nothing is an error before training, not silence after it.

    Raises:
        ModelError: with the names there are.
    """
    if monitor not in names:
        raise ModelError(f"early_stopping monitors {monitor!r}, which does not exist; there are {', '.join(names)}")
