"""Does a checkpoint fit the job? If not: which variables are new, gone, or of another shape."""

from collections.abc import Mapping
from typing import Any

from runyard.errors import CheckpointError

_MOST_LISTED = 12


def refuse_misfit(
    saved: Mapping[str, Mapping[str, Any]], expected: Mapping[str, Mapping[str, Any]], *, where: str
) -> None:
    """Compares shapes and types by name.

    Raises:
        CheckpointError: with every difference. Nothing has been changed then.
    """
    new = [f"new: {name} {_show(expected[name])}" for name in expected if name not in saved]
    gone = [f"gone: {name} {_show(saved[name])}" for name in saved if name not in expected]
    changed = [
        f"changed: {name} was {_show(saved[name])}, is {_show(expected[name])}"
        for name in expected
        if name in saved and dict(saved[name]) != dict(expected[name])
    ]
    differences = [*changed, *new, *gone]
    if not differences:
        return
    listed = [f"  {line}" for line in differences[:_MOST_LISTED]]
    if len(differences) > _MOST_LISTED:
        listed.append(f"  ... and {len(differences) - _MOST_LISTED} more")
    raise CheckpointError(
        "\n".join([f"the checkpoint in {where} is of another model or optimizer; nothing was overwritten", *listed]),
        hint="undo the change, choose another ckpt_path, or start over with --fresh",
    )


def _show(tensor: Mapping[str, Any]) -> str:
    shape = tensor.get("shape")
    return f"{tuple(shape) if shape is not None else '?'} {tensor.get('dtype')}"
