"""Workers whose scripts have made different things: they would wait for each other for ever, or add up what differs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from runyard.errors import ScriptError
from runyard.script.contract import CREATE_MODEL, VAL_DATASET
from runyard.training.workers import Workers, wait_for_all

if TYPE_CHECKING:
    from runyard.training.engine import Engine
    from runyard.training.validation import Validation

_HINT = (
    "let it make the same on every worker, under the same names and in the same order, whatever is_chief, the host, "
    "the process or the time is; Runyard divides the rows"
)


@dataclass(frozen=True)
class Likeness:
    """What must be the same on all workers.

    Args:
        variables: of the model, in their order and under the names by which workers exchange them:
            `00000/dense/kernel float32 (4, 3)`.
        measured: names of what is measured while training.
        validated: names of what is measured in a validation.
    """

    variables: list[str]
    measured: list[str]
    validated: list[str]

    @classmethod
    def of(cls, engine: "Engine", validation: "Validation") -> "Likeness":
        variables = [f"{name} {each.dtype.name} {each.shape}" for name, each in engine.own.weights.items()]
        return cls(variables, engine.results_names(), validation.names)


def refuse_unlike(mine: Likeness, *, workers: Workers) -> None:
    """Compares what all workers have with what the chief has. All of them come to the same result.

    Raises:
        ScriptError: if one differs.
    """
    if workers.size == 1:
        return
    chiefs, *others = [Likeness(**json.loads(told)) for told in workers.gather(json.dumps(asdict(mine)).encode())]
    for index, other in enumerate(others, start=1):
        refusal = _unlike(other, chiefs, index=index)
        if refusal is not None:
            wait_for_all(workers)  # The last word of one that ends may get lost, and this is the one to hear.
            raise refusal


def _unlike(other: Likeness, chiefs: Likeness, *, index: int) -> ScriptError | None:
    if other.variables != chiefs.variables:
        return _refusal(f"{CREATE_MODEL.name} makes another model", index, *_first_difference(other, chiefs))
    if other.validated != chiefs.validated:
        here, there = _named(other.validated), _named(chiefs.validated)
        return _refusal(f"{VAL_DATASET.name} makes other validation sets", index, here, there)
    if other.measured != chiefs.measured:
        here, there = _named(other.measured), _named(chiefs.measured)
        return _refusal("a function of the script makes other losses or metrics", index, here, there)
    return None


def _refusal(what: str, index: int, here: str, there: str) -> ScriptError:
    return ScriptError(f"{what} on worker {index} than on worker 0: {here} instead of {there}", hint=_HINT)


def _first_difference(one: Likeness, other: Likeness) -> tuple[str, str]:
    if len(one.variables) != len(other.variables):
        return str(len(one.variables)), f"{len(other.variables)} variables"
    pairs = zip(one.variables, other.variables, strict=True)
    return next((mine, theirs) for mine, theirs in pairs if mine != theirs)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
