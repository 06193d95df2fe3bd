"""Where a run takes place: its devices and its session."""

import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from runyard.cluster.signals import StopSignals
from runyard.errors import ConfigError

_VARIABLES = frozenset({"VarHandleOp", "VariableV2", "Variable", "AutoReloadVariable", "VarIsInitializedOp"})
Device = str | Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Place:
    """One process, alone.

    Attributes:
        clone_devices: where each clone computes.
        variable_device: where variables live; empty: with the first clone.
        num_workers: how many processes train.
    """

    clone_devices: Sequence[str]
    config: tf.ConfigProto
    input_device: str = "/cpu:0"
    variable_device: Device = ""
    target: str = ""
    is_chief: bool = True
    task_index: int = 0
    num_workers: int = 1

    is_local = True
    """Whether no other process takes part."""

    @property
    def counts_global_step(self) -> bool:
        """Whether a step of this process is one of the job's."""
        return True

    @property
    def has_uncounted_steps(self) -> bool:
        """Whether others change the variables without counting their steps."""
        return False

    @property
    def acts_for_all(self) -> bool:
        """Whether hooks that act for all workers run here."""
        return True

    @property
    def num_clones(self) -> int:
        return len(self.clone_devices)

    def device(self, clone: int) -> Device:
        """Where the operations of a clone go, and the variables that it makes."""
        here = self.clone_devices[clone]
        variables = self.variable_device
        if not variables or variables == here:
            return here
        return lambda operation: str(variables) if operation.type in _VARIABLES else here

    def building(self) -> AbstractContextManager[None]:
        """Within it the graph of a run is built."""
        return nullcontext()

    def apply(self, pairs_of_losses: Sequence[Sequence[Any]], update: Callable[[Sequence[Sequence[Any]]], Any]) -> Any:
        """The operation that changes the variables by the gradients of each loss.

        Args:
            update: makes it from the pairs of gradients and variables that are to be used.
        """
        return update(pairs_of_losses)

    def open_session(self, *, initialize: Callable[[Any], None], saver: Any, hooks: Sequence[Any]) -> Any:
        """A session that runs the hooks.

        Args:
            initialize: sets all variables of a session.
        """
        scaffold = tf.train.Scaffold(
            init_op=tf.no_op(), init_fn=lambda _, session: initialize(session), saver=saver, summary_op=tf.no_op()
        )
        creator = tf.train.ChiefSessionCreator(scaffold, master=self.target, config=self.config)
        return tf.train.MonitoredSession(session_creator=creator, hooks=list(hooks))

    def session_closed(self) -> None:
        """Nothing more is wanted of other processes in this run."""

    def begin(self, session: Any) -> int:
        """The number of the first step of this process."""
        return int(session.run(tf.train.get_global_step(session.graph)))

    def global_number(self, session: Any, step: int) -> int:
        """How many steps the job has done when this process has done so many."""
        del session
        return step

    def abandon(self) -> None:
        """Something has gone wrong here: nobody is to wait for this process."""

    def asked_to_stop(self, number: signal.Signals) -> None:
        """A signal has come; this is called at once, in another thread than the steps."""

    def steps_done(self, session: Any, step: int) -> int:
        """How many steps the weights have seen, after a call of this step that ended early."""
        del step
        return int(session.run(tf.train.get_global_step(session.graph)))

    def leave(self, session: Any, *, stopped: bool, signals: StopSignals) -> None:
        """After the last step, before the last checkpoint.

        Args:
            stopped: a hook has asked for it.
            signals: those of this process; they adopt what has stopped another one and therefore this one.
        """


def find_place(flags: Any) -> Place:
    """The devices that the flags ask for.

    Without GPUs, `num_gpus` clones compute on as many logical CPU devices.

    Raises:
        ConfigError: if more GPUs are asked for than there are, or fewer than none.
    """
    if flags.num_gpus < 0:
        raise ConfigError(f"--num_gpus={flags.num_gpus}; it is a number of devices, or 0 for the CPU")
    wanted = max(1, flags.num_gpus)
    gpus = [] if flags.clone_on_cpu else tf2.config.list_physical_devices("GPU")
    if gpus and wanted > len(gpus):
        raise ConfigError(
            f"--num_gpus={wanted}, but this machine has {len(gpus)}",
            hint="give a smaller number, or --clone_on_cpu to compute on the CPU",
        )
    kind = "gpu" if gpus else "cpu"
    devices = [f"/{kind}:{number}" for number in range(wanted)]
    config = tf.ConfigProto(
        allow_soft_placement=True,
        inter_op_parallelism_threads=flags.num_inter_threads or 0,
        intra_op_parallelism_threads=flags.num_intra_threads or 0,
        operation_timeout_in_ms=int(flags.session_timeout * 1000),
    )
    if not gpus and wanted > 1:
        config.device_count["CPU"] = wanted
    return Place(clone_devices=devices, config=config, variable_device=devices[0] if wanted == 1 else "/cpu:0")
