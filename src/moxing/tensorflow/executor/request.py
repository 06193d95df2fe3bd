"""What `mox.run` was asked for, checked before anything is built."""

import inspect
import numbers
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from moxing.tensorflow.executor.failures import NotCallable, WrongValue
from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.executor.lines import warn_line

_RUN_MODES = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
_SECONDS_BETWEEN_CHECKPOINTS = 600


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """The arguments of `mox.run`.

    Attributes:
        optimizer_fns: one for each loss; a single one serves several losses too.
        batch_size: of one device.
        save_model_secs: seconds between checkpoints; wins over `save_model_steps`, unless it is 0.
    """

    input_fn: Callable[..., Any]
    model_fn: Callable[..., Any]
    optimizer_fns: Sequence[Callable[[], Any]]
    output_fn: Callable[..., Any] | None
    run_mode: str
    inter_mode: str | None
    batch_size: int | None
    auto_batch: bool
    log_dir: str | None
    max_number_of_steps: int
    checkpoint_path: str | None
    log_every_n_steps: int
    output_every_n_steps: int
    save_summary_steps: int
    save_model_secs: float | None
    save_model_steps: int | None
    export_model: Any

    @property
    def is_training(self) -> bool:
        return self.run_mode == ModeKeys.TRAIN

    @property
    def batches_itself(self) -> bool:
        """Whether samples are to be put together to batches."""
        return self.auto_batch and self.batch_size is not None


def checked_request(
    *,
    input_fn: Any,
    output_fn: Any,
    model_fn: Any,
    optimizer_fn: Any,
    run_mode: Any,
    inter_mode: Any,
    batch_size: Any,
    auto_batch: bool,
    log_dir: Any,
    max_number_of_steps: Any,
    checkpoint_path: Any,
    log_every_n_steps: Any,
    output_every_n_steps: Any,
    save_summary_steps: Any,
    save_model_secs: Any,
    save_model_steps: Any,
    export_model: Any,
    fetch_strategy_fn: Any,
) -> RunRequest:
    """The request, if it makes sense.

    Raises:
        WrongValue: for a mode or number that cannot be.
        NotCallable: for a callback that is none.
    """
    _check_modes(run_mode, inter_mode)
    _check_callable("input_fn", input_fn, "mode")
    _check_callable("model_fn", model_fn, "inputs", "mode")
    if output_fn is not None:
        _check_callable("output_fn", output_fn, "outputs")
    if fetch_strategy_fn is not None:
        warn_line("`fetch_strategy_fn` of mox.run has no effect here")
    seconds, steps = _between_checkpoints(save_model_secs, save_model_steps)
    return RunRequest(
        input_fn=input_fn,
        model_fn=model_fn,
        optimizer_fns=_optimizer_fns(optimizer_fn, run_mode=run_mode),
        output_fn=output_fn,
        run_mode=run_mode,
        inter_mode=inter_mode,
        batch_size=_batch_size(batch_size, auto_batch=auto_batch),
        auto_batch=bool(auto_batch),
        log_dir=_path("log_dir", log_dir),
        max_number_of_steps=_whole("max_number_of_steps", max_number_of_steps or 0),
        checkpoint_path=_path("checkpoint_path", checkpoint_path),
        log_every_n_steps=_whole("log_every_n_steps", log_every_n_steps or 0),
        output_every_n_steps=_whole("output_every_n_steps", output_every_n_steps or 0),
        save_summary_steps=_whole("save_summary_steps", save_summary_steps or 0),
        save_model_secs=seconds,
        save_model_steps=steps,
        export_model=export_model,
    )


def _check_modes(run_mode: Any, inter_mode: Any) -> None:
    if run_mode not in _RUN_MODES:
        raise WrongValue(
            f"`run_mode` of mox.run is {run_mode!r}; it must be {_either(_RUN_MODES)}",
            hint="EXPORT is added by `export_model`" if run_mode == ModeKeys.EXPORT else None,
        )
    if inter_mode is not None and inter_mode not in _RUN_MODES:
        raise WrongValue(f"`inter_mode` of mox.run is {inter_mode!r}; it must be {_either(_RUN_MODES)}, or None")


def _batch_size(value: Any, *, auto_batch: Any) -> int | None:
    if value is not None:
        return _whole("batch_size", value, at_least=1)
    if auto_batch:
        warn_line(
            "mox.run has no `batch_size`: what input_fn returns is taken as batches already, and sample/sec is"
            " counted from their first dimension"
        )
    return None


def _between_checkpoints(seconds: Any, steps: Any) -> tuple[float | None, int | None]:
    """Seconds win over steps, unless there are none of them."""
    seconds = _seconds("save_model_secs", seconds)
    steps = None if steps is None else _whole("save_model_steps", steps)
    if seconds == 0 and steps is not None:
        seconds = None
    if seconds is None and steps is None:
        seconds = _SECONDS_BETWEEN_CHECKPOINTS
    return seconds, steps if seconds is None else None


def _optimizer_fns(optimizer_fn: Any, *, run_mode: str) -> list[Callable[[], Any]]:
    if run_mode != ModeKeys.TRAIN:
        return []
    listed = list(optimizer_fn) if isinstance(optimizer_fn, list | tuple) else [optimizer_fn]
    if not listed or any(one is None for one in listed):
        raise WrongValue(
            "`optimizer_fn` of mox.run is missing; run_mode TRAIN needs it",
            hint="optimizer_fn=mox.get_optimizer_fn('sgd', learning_rate=0.01)",
        )
    for one in listed:
        _check_callable("optimizer_fn", one)
    return listed


def _check_callable(name: str, function: Any, *arguments: str) -> None:
    if function is None:
        raise WrongValue(f"`{name}` of mox.run is missing")
    if callable(function):
        _check_arguments(name, function, arguments)
        return
    made = hasattr(function, "apply_gradients")
    raise NotCallable(
        f"{type(function).__name__!r} object is not callable: `{name}` of mox.run must be a function"
        + (" that returns an optimizer, not an optimizer" if made else ""),
        hint=f"put a lambda before it: {name}=lambda: {type(function).__name__}(...)" if made else None,
    )


def _check_arguments(name: str, function: Callable[..., Any], arguments: Sequence[str]) -> None:
    try:
        # Its own, not that of a function that it wraps: a decorator may add arguments.
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):  # not known of some functions in C
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise NotCallable(
            f"`{name}` of mox.run is called as {name}({', '.join(arguments)}), but takes {signature}: {error}"
        ) from None


def _whole(name: str, value: Any, *, at_least: int = 0) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or number != value or number < at_least:
        raise WrongValue(f"`{name}` of mox.run is {value!r}; it must be a whole number from {at_least} on")
    return number


def _seconds(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not float(value) >= 0:
        raise WrongValue(f"`{name}` of mox.run is {value!r}; it must be a number of seconds from 0 on, or None")
    return float(value)


def _path(name: str, value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str | os.PathLike):
        raise WrongValue(f"`{name}` of mox.run is {value!r}; it must be a path")
    return str(os.fspath(value))


def _either(modes: Sequence[str]) -> str:
    return " or ".join(f"mox.ModeKeys.{mode}" for mode in modes)
