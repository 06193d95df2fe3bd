"""The training, from the first step to the last: epochs, calls, validation, checkpoints, stops."""

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from runyard.checkpoint.state import Stateful
from runyard.cluster import Heartbeat, Phase
from runyard.cluster.signals import StopSignals
from runyard.training.agreement import Agreement
from runyard.training.calls import Calls
from runyard.training.checkpoint_parts import checkpoint_parts
from runyard.training.checkpoints import Checkpoints
from runyard.training.engine import Engine
from runyard.training.evaluating import LeavePass
from runyard.training.limits import Limits
from runyard.training.meeting import Meeting
from runyard.training.nothing_kept import NothingKept
from runyard.training.observers.base import ROWS, Observer, without_rows
from runyard.training.observers.group import ObserverGroup
from runyard.training.run_state import Outcome, RunState, TrainingData
from runyard.training.validation import Validation


class Fit:
    """One training. It runs when it is called; `run` says how far it is.

    Args:
        explain: the context in which steps run: turns what Keras raises into errors for people.
        heartbeat: told how far it is.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        data: TrainingData,
        validation: Validation,
        observers: Sequence[Observer],
        limits: Limits,
        signals: StopSignals,
        explain: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.run = RunState(engine, data=data, limits=limits)
        self._engine = engine
        self._data = data
        self._validation = validation
        self._observers = ObserverGroup(observers)
        self._signals = signals
        self._heartbeat = heartbeat or Heartbeat()
        self._calls = Calls(
            engine, data=data, run=self.run, observers=self._observers, explain=explain, heartbeat=self._heartbeat
        )
        self._meeting = Meeting(self.run, workers=engine.workers, signals=signals, next_steps=self._calls.next_steps)
        self._checkpoints: Checkpoints | NothingKept = NothingKept()

    def parts(self) -> dict[str, Stateful]:
        """Everything that a checkpoint holds."""
        return checkpoint_parts(self._engine, data=self._data, observers=self._observers, run=self.run)

    def __call__(self, checkpoints: Checkpoints | None) -> Outcome:
        """Trains until the end.

        Raises:
            Interrupted, Terminated: after a signal, when everything is saved.
            TrainingDiverged: if a loss is not finite and the job asks to stop then.
            PeerLost: if another worker is gone.
        """
        self._checkpoints = checkpoints or NothingKept()
        agreed = self._begin()
        while self.run.end_reason is None:
            agreed = self._one_epoch(agreed)
        self._end()
        return self.run.outcome()

    def _begin(self) -> Agreement:
        self._heartbeat.beat(self.run.step, phase=Phase.STARTING)
        self._observers.tell(lambda observer: observer.on_train_begin(self.run))
        agreed = self._meet()
        if self.run.end_reason is not None and self.run.batch and self._epoch_ends_here():
            # The run was killed while it closed its last epoch.
            return self._close_epoch()
        return agreed

    def _one_epoch(self, agreed: Agreement) -> Agreement:
        """Trains an epoch, or what is left of it; what was agreed on at its end."""
        while not self._calls(steps=agreed.steps):
            agreed = self._meet()
            self._obey_signal(agreed)
            if self.run.end_reason is not None:
                self.run.use_results(self._engine.results_of_all())
                if self._epoch_ends_here():
                    break
                return agreed
            if agreed.save:
                self._checkpoints.begin(step=self.run.step)
        return self._close_epoch()

    def _close_epoch(self) -> Agreement:
        """Validates, tells observers and saves; what was agreed on for what comes next."""
        self._engine.flush()
        self._settle()
        try:
            self._end_epoch()
        except LeavePass:
            # Nothing of the epoch's end has happened yet: a resumed run comes here again.
            self._obey_signal(self._meet())
        agreed = self._meet(epochs_done=self.run.epoch)
        if agreed.save and self.run.end_reason is None:
            self._checkpoints.begin(step=self.run.step, epochs_done=self.run.epoch)
        self._obey_signal(agreed)
        return agreed

    def _end_epoch(self) -> None:
        results = {**self._engine.results_of_all(), ROWS: self._engine.sums.rows}
        if self._validation.due(epochs_done=self.run.epoch + 1):
            found = self._validation(epoch=self.run.epoch, between_calls=self._in_validation)
            self._heartbeat.beat(self.run.step, phase=Phase.SAVING)
            self._observers.tell(lambda observer: observer.on_validation(self.run, found))
            results.update(found)
        self.run.use_results(without_rows(results))
        self._observers.tell(lambda observer: observer.on_epoch_end(self.run, results))
        self._engine.reset_results()
        self._data.end_epoch()

    def _in_validation(self) -> None:
        self._heartbeat.beat(self.run.step, phase=Phase.VALIDATING)
        if self._signals.received is not None:
            raise LeavePass

    def _end(self) -> None:
        self._checkpoints.finish(step=self.run.step, epochs_done=self.run.epoch)
        self._settle()
        self._engine.finish()
        self._observers.tell(lambda observer: observer.on_train_end(self.run))

    def _epoch_ends_here(self) -> bool:
        """Whether the last step of the run is the last of its epoch, too. Saves first: looking may read a batch."""
        self._checkpoints.finish(step=self.run.step, epochs_done=self.run.epoch)
        return not self._engine.workers.totals([not self._data.at_end()])[0]

    def _settle(self) -> None:
        """What comes now may take long: a validation, observers, a checkpoint, the model."""
        self._heartbeat.beat(self.run.step, phase=Phase.SAVING)
        self._engine.own.settle()

    def _meet(self, *, epochs_done: int | None = None) -> Agreement:
        """Decides with the other workers what comes next."""
        return self._meeting(self._checkpoints, epochs_done=epochs_done)

    def _obey_signal(self, agreed: Agreement) -> None:
        """One that all have agreed on: one that came later must wait for the next meeting."""
        if agreed.signal is not None:
            self._signals.adopt(agreed.signal)
            self._heartbeat.beat(self.run.step, phase=Phase.SAVING)
            self._checkpoints.save_and_wait(step=self.run.step)
            raise self._signals.error(saved=self._checkpoints.writes)
