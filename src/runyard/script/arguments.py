"""Which arguments a callback is called with, or why it cannot be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runyard.config import nearest_name
from runyard.script.contract import Callback
from runyard.script.signature import Signature


@dataclass(frozen=True)
class ArgumentProblem:
    """An argument that does not fit. `argument` is a key of the config section, or None when one is lacking there."""

    message: str
    argument: str | None = None
    allowed: str | None = None
    nearest: str | None = None


@dataclass(frozen=True)
class Arguments:
    """The keyword arguments of a call, and what was wrong or left out on the way."""

    keywords: Mapping[str, object]
    problems: Sequence[ArgumentProblem] = ()
    remarks: Sequence[str] = field(default_factory=tuple[str, ...])


def arguments_for(
    callback: Callback,
    *,
    signature: Signature,
    config: Mapping[str, object],
    injectable: Mapping[str, object],
    lenient: bool = False,
) -> Arguments:
    """Binds the config's arguments and what Runyard injects to the parameters of a function.

    Args:
        config: the arguments that the job file gives.
        injectable: values for `callback.given` and `callback.injected`.
        lenient: leave out arguments that the function does not take instead of reporting them.
    """
    by_position = set(signature.positional[: callback.positional])
    declared = [name for name in signature.names if name not in by_position]
    injected = {name: injectable[name] for name in callback.injected if name in declared and name in injectable}
    given = {name: injectable[name] for name in callback.given if name in injectable}
    keywords: dict[str, object] = {}
    problems: list[ArgumentProblem] = []
    remarks: list[str] = []
    for name, value in config.items():
        if name in injected or name in given:
            remarks.append(f"{signature.place}: {name!r} of the job file is not used, Runyard injects it")
        elif name in declared or signature.takes_any:
            keywords[name] = value
        elif name in callback.optional_keys:
            continue
        elif lenient:
            remarks.append(f"{signature.place} takes no {name!r}: left out")
        else:
            problems.append(_not_taken(signature, name=name, declared=declared))
    lacking = signature.required - by_position - set(keywords) - set(injected) - set(given)
    problems += [_lacking(callback, signature=signature, name=name) for name in signature.names if name in lacking]
    problems += _wrong_positions(callback, signature=signature)
    return Arguments({**keywords, **injected, **given}, problems, remarks)


def _not_taken(signature: Signature, *, name: str, declared: Sequence[str]) -> ArgumentProblem:
    return ArgumentProblem(
        f"{signature.place} takes no {name!r}",
        argument=name,
        allowed=", ".join(declared) or "no arguments",
        nearest=nearest_name(name, declared),
    )


def _lacking(callback: Callback, *, signature: Signature, name: str) -> ArgumentProblem:
    if callback.section is None:
        return ArgumentProblem(f"{signature.place} requires {name!r}, which is not among what it can be given")
    return ArgumentProblem(f"{signature.place} requires {name!r}, which {callback.section} does not give")


def _wrong_positions(callback: Callback, *, signature: Signature) -> list[ArgumentProblem]:
    if len(signature.positional) >= callback.positional:
        return []
    return [ArgumentProblem(f"{signature.place} must take the model as its first parameter")]
