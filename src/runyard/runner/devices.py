"""The devices of a process that trains."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runyard.cluster import Place
from runyard.config.train_args import TrainArgs
from runyard.errors import PlatformError
from runyard.telemetry import note

Wanted = int | Literal["auto"]


@dataclass(frozen=True)
class ProcessHere:
    """Which of the processes of a training on this machine one is, counted from 0."""

    index: int = 0
    count: int = 1


ONLY_ONE = ProcessHere()


def choose_devices(args: TrainArgs, *, process: ProcessHere = ONLY_ONE) -> None:
    """Takes the devices that the job wants, before TensorFlow begins to work.

    Without GPUs they are parts of the processor that TensorFlow treats as devices of their own.

    Args:
        process: those on one machine divide its GPUs among them.

    Raises:
        PlatformError: if there are fewer GPUs than wanted.
    """
    import tensorflow as tf

    wanted = args.devices
    gpus = gpus_of(tf.config.list_physical_devices("GPU"), 1 if args.jit_compile else wanted, process=process)
    if gpus:
        _use(gpus)
    elif wanted != "auto":
        _divide_processor(wanted)


def devices_of(args: TrainArgs, *, place: Place | None = None) -> int:
    """How many this process has, once they are chosen. With parameter servers, workers have one each."""
    import tensorflow as tf

    if place is not None and place.cluster.ps:
        return 1
    if args.devices != "auto":
        return args.devices
    return max(1, len(tf.config.list_logical_devices("GPU")))


def gpus_of(gpus: Sequence[Any], wanted: Wanted, *, process: ProcessHere) -> Sequence[Any]:
    """The GPUs that a process takes of those that the machine has.

    Raises:
        PlatformError: if there are some, but not enough.
    """
    if not gpus:
        return []
    share = max(1, len(gpus) // process.count)
    first = process.index * share % len(gpus)
    mine = gpus[first : first + share]
    if wanted == "auto":
        return mine
    if wanted > len(mine):
        among = f" for {process.count} processes" if process.count > 1 else ""
        raise PlatformError(
            f"train_args.devices is {wanted}, but this machine has {len(gpus)} GPUs{among}",
            hint='lower it, or say "auto" for all that there are',
        )
    return mine[:wanted]


def _use(gpus: Sequence[Any]) -> None:
    import tensorflow as tf

    try:
        tf.config.set_visible_devices(gpus, "GPU")
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
    except RuntimeError:
        note("TensorFlow is already running: this process keeps the GPUs that it has")


def _divide_processor(parts: int) -> None:
    import tensorflow as tf

    processor = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(processor) or [None]) == parts:
        return
    try:
        tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * parts)
    except RuntimeError:
        note(f"TensorFlow is already running: the work of {parts} devices is done by those that it has")
