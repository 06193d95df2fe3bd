"""Checkpoints of trainings with parameter servers, and of those without, do not fit each other."""

from collections.abc import Mapping
from typing import Any

from runyard.errors import CheckpointError
from runyard.training.coordinator import Coordinator
from runyard.training.workers import Workers


def refuse_other_driver(values: Mapping[str, Any], *, workers: Workers, where: str) -> None:
    """Each worker of parameter servers goes on at its own place in the data, so there must be as many as there were.

    Args:
        values: of a checkpoint.

    Raises:
        CheckpointError: if there were more or fewer, or no parameter servers.
    """
    saved = len(values.get("data", {}).get("each", ()))
    now = len(workers.workers) if isinstance(workers, Coordinator) else 0
    if saved != now:
        raise CheckpointError(
            f"the checkpoint in {where} is of a run {_driven(saved)}, this one is {_driven(now)}",
            hint=f"go on {_options(saved)}, choose another ckpt_path, or start over with --fresh",
        )


def _driven(workers: int) -> str:
    if not workers:
        return "without parameter servers"
    return f"with parameter servers and {workers} {'worker' if workers == 1 else 'workers'}"


def _options(workers: int) -> str:
    return f"with --workers {workers} --ps 1 or more" if workers else "with --ps 0"
