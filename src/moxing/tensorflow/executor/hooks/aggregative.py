"""The base of all hooks of a run."""

import abc
from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

if TYPE_CHECKING:
    from moxing.tensorflow.executor.run_view import RunView


class AggregativeSessionRunHook(tf.train.SessionRunHook, abc.ABC):
    """A `SessionRunHook` that says how it wants to be used with several devices, workers and modes.

    `model_fn` is called for every device, so there is an instance of each hook for every device. Override any of
    `begin`, `after_create_session`, `before_run`, `after_run` and `end`.
    """

    view: "RunView | None" = None
    """The run that the hook is part of, from before `begin` on."""

    @abc.abstractmethod
    def support_aggregation(self) -> bool:
        """True: one instance speaks for those of all devices. False: each device's instance is called."""

    @abc.abstractmethod
    def support_sync_workers(self) -> bool:
        """True: it acts for all workers that step together. False: each worker has its own."""

    @abc.abstractmethod
    def run_inter_mode(self) -> bool:
        """True: it runs the inter mode within the run. False: it belongs to the mode whose `model_fn` made it."""

    def attach(self, view: "RunView") -> None:
        """The run begins."""
        self.view = view

    def steps_until_due(self) -> int | None:
        """How many steps may be run before it must be called again; None for any number.

        A hook that looks at session calls looks at every step, unless it says otherwise here.
        """
        base = tf.train.SessionRunHook
        looks = type(self).before_run is not base.before_run or type(self).after_run is not base.after_run
        return 1 if looks else None


def attached(hook: Any) -> "RunView":
    """The run of a hook that is part of one."""
    view = hook.view
    if view is None:
        raise RuntimeError(f"{type(hook).__name__} works only as one of ModelSpec's hooks")
    return view
