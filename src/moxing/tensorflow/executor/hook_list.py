"""Which of the hooks that `model_fn` made are registered, and with what."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hooks.aggregative import AggregativeSessionRunHook
from moxing.tensorflow.executor.run_view import RunView


def families_of(clones: Sequence[Clone], *, inter: bool) -> list[list[Any]]:
    """Hooks by their place in the list, each with its instances in the clones.

    Args:
        inter: those that run the inter mode; else the others.

    Raises:
        WrongValue: for a hook that is no `mox.AggregativeSessionRunHook`.
    """
    families = [
        [hook for hook in family if hook is not None] for family in zip_longest(*(clone.spec.hooks for clone in clones))
    ]
    for hook in (hook for family in families for hook in family):
        if not isinstance(hook, AggregativeSessionRunHook):
            raise WrongValue(
                f"{type(hook).__name__} in `hooks` of mox.ModelSpec is no mox.AggregativeSessionRunHook",
                hint="derive it from mox.AggregativeSessionRunHook and add support_aggregation, support_sync_workers"
                " and run_inter_mode, each returning False",
            )
    return [family for family in families if bool(family[0].run_inter_mode()) == inter]


def registered(families: Sequence[Sequence[Any]], view: RunView) -> list[Any]:
    """The hooks that the session calls: of those that can stand for all clones, the first clone's."""
    hooks: list[Any] = []
    for family in families:
        view.relate(family)
        hooks += family[:1] if family[0].support_aggregation() else family
    for hook in hooks:
        hook.attach(view)
    return hooks


def steps_allowed(hooks: Sequence[Any]) -> int | None:
    """How many steps can be run before one of the hooks must be called; None: any number."""
    due = [_steps_until_due(hook) for hook in hooks]
    return min((steps for steps in due if steps is not None), default=None)


def looks_at_every_step(hooks: Sequence[Any]) -> bool:
    """Whether a hook wants to be called with every step, from the first to the last."""
    base = tf.train.SessionRunHook
    return any(
        type(hook).steps_until_due is AggregativeSessionRunHook.steps_until_due
        and (type(hook).before_run is not base.before_run or type(hook).after_run is not base.after_run)
        for hook in hooks
    )


def _steps_until_due(hook: Any) -> int | None:
    asked = getattr(hook, "steps_until_due", None)
    if asked is not None:
        return asked()
    base, own = tf.train.SessionRunHook, type(hook)
    looks = own.before_run is not base.before_run or own.after_run is not base.after_run
    return 1 if looks else None
