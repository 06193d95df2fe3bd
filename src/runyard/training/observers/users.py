"""The user's own observers: plain objects with `on_...` methods."""

import contextlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from runyard.config import nearest_name
from runyard.errors import CheckpointError, RunyardError, ScriptError
from runyard.script.failures import callback_failure
from runyard.script.signature import signature_of
from runyard.training.observers.base import Observer, Run

EVENTS: Mapping[str, tuple[str, ...]] = {
    "on_train_begin": ("run",),
    "on_steps": ("run",),
    "on_validation": ("run", "results"),
    "on_epoch_end": ("run", "results"),
    "on_checkpoint": ("run", "path"),
    "on_train_end": ("run",),
}
"""The methods that are called, and what each may take."""


def user_observers(
    returned: object,
    *,
    folder: Path,
    active: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
) -> list[Observer]:
    """Wraps what `awf_observers_fn` returned: a list, one object, or None.

    Args:
        folder: where the user's files are.
        active: the context in which the script's code runs.

    Raises:
        ScriptError: if an object cannot be an observer.
    """
    if returned is None:
        return []
    objects: Sequence[object] = returned if isinstance(returned, list | tuple) else [returned]
    return [UserObserver(each, folder=folder, active=active) for each in objects]


class UserObserver(Observer):
    """Tells an object of the user's what happens. What it raises ends the run with the user's own traceback.

    With a method `state()`, what that returns is part of each checkpoint; `load_state(state)` gets it on resume.

    Raises:
        ScriptError: if it has no method that would be called, or one that could not be.
    """

    def __init__(self, wrapped: object, *, folder: Path, active: Callable[[], AbstractContextManager[object]]) -> None:
        _refuse_strangers(wrapped)
        self._wrapped: Any = wrapped
        self._class = type(wrapped).__name__
        self._folder = folder
        self._active = active
        self._accepted = {name: _accepted(wrapped, name) for name in EVENTS if _has(wrapped, name)}
        self._keeps_state = _has(wrapped, "state")

    def on_train_begin(self, run: Run) -> None:
        self._tell("on_train_begin", run=run)

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        self._tell("on_steps", run=run)

    def on_validation(self, run: Run, results: Mapping[str, Any]) -> None:
        self._tell("on_validation", run=run, results=dict(results))

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        self._tell("on_epoch_end", run=run, results=dict(results))

    def on_checkpoint(self, run: Run, path: str) -> None:
        self._tell("on_checkpoint", run=run, path=path)

    def on_train_end(self, run: Run) -> None:
        self._tell("on_train_end", run=run)

    def values(self) -> Mapping[str, Any]:
        if not self._keeps_state:
            return {}
        state = self._call("state")
        try:
            # A copy: the checkpoint is written while the object goes on.
            return {"class": self._class, "state": json.loads(json.dumps(state))}
        except (TypeError, ValueError) as error:
            raise ScriptError(
                f"state() of {self._class} returned what JSON cannot hold: {error}",
                hint="numbers, texts, lists and dicts can be kept in a checkpoint",
            ) from error

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        if not self._keeps_state or "state" not in values:
            return
        if values["class"] != self._class:
            raise CheckpointError(
                f"the checkpoint holds the state of an observer {values['class']}, "
                f"where awf_observers_fn now returns {self._class}",
                hint="return the same observers in the same order, or start over with --fresh",
            )
        self._call("load_state", values["state"])

    def _tell(self, event: str, **subjects: object) -> None:
        if event in self._accepted:
            self._call(event, *(subjects[name] for name in self._accepted[event]))

    def _call(self, method: str, *arguments: object) -> object:
        try:
            with self._active():
                return getattr(self._wrapped, method)(*arguments)
        except RunyardError:
            raise
        except (Exception, SystemExit) as error:
            doing = f"calling {method} of {self._class}"
            raise callback_failure(error, doing=doing, folder=self._folder) from error


def _accepted(wrapped: object, event: str) -> tuple[str, ...]:
    """What a method is given: by the names of its parameters if they are ours, else as many as it takes.

    Raises:
        ScriptError: if it requires more than there is.
    """
    offered = EVENTS[event]
    place = f"{event} of {type(wrapped).__name__}"
    signature = signature_of(getattr(wrapped, event), name=place)
    if signature is None or signature.takes_more:
        return offered
    taken = signature.positional
    accepted = taken if set(taken) <= set(offered) else offered[: len(taken)]
    surplus = signature.required - set(taken[: len(accepted)])
    if surplus:
        raise ScriptError(
            f"{signature.place} requires {', '.join(map(repr, sorted(surplus)))}, which it cannot be given",
            hint=f"it may take {', '.join(offered)}",
        )
    return accepted


def _refuse_strangers(wrapped: object) -> None:
    if isinstance(wrapped, type):
        raise ScriptError(
            f"awf_observers_fn returned the class {wrapped.__name__}, not an object of it",
            hint=f"return [{wrapped.__name__}()]",
        )
    kind = type(wrapped).__name__
    if hasattr(wrapped, "set_model"):
        raise ScriptError(
            f"awf_observers_fn returned a {kind}, which is a Keras callback",
            hint=f"return an object of your own with any of {', '.join(EVENTS)}",
        )
    names = [name for name in dir(wrapped) if name.startswith("on_") and _has(wrapped, name)]
    for name in names:
        if name not in EVENTS:
            nearest = nearest_name(name, EVENTS)
            raise ScriptError(
                f"{kind}.{name} would never be called: the methods of an observer are {', '.join(EVENTS)}",
                hint=f"did you mean {nearest}?" if nearest else "methods that do not start with on_ are left alone",
            )
    if not names:
        raise ScriptError(
            f"awf_observers_fn returned an object of type {kind}, which has no on_... method",
            hint=f"an observer has any of {', '.join(EVENTS)}",
        )
    if _has(wrapped, "state") != _has(wrapped, "load_state"):
        have, lack = ("state", "load_state") if _has(wrapped, "state") else ("load_state", "state")
        raise ScriptError(f"{kind} has a method {have}, but no {lack}: a resumed run needs both")


def _has(wrapped: object, name: str) -> bool:
    # Looked up without running properties of the user's.
    found = inspect.getattr_static(wrapped, name, None)
    return callable(found) or isinstance(found, staticmethod | classmethod)
