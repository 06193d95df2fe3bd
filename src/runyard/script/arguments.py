"""Which arguments a callback is called with, or why it cannot be."""

from collections.abc import Iterator, Mapping, Sequence
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
    by_position = signature.positional[: callback.positional]
    declared = [name for name in signature.names if name not in by_position]
    injected = {name: injectable[name] for name in callback.injected if name in declared and name in injectable}
    for name in callback.given:
        if name in injectable and (name in declared or signature.takes_any):
            injected[name] = injectable[name]
    keywords: dict[str, object] = {}
    problems: list[ArgumentProblem] = []
    remarks: list[str] = []
    for name, value in config.items():
        if name in injected:
            if name not in callback.optional_keys:
                remarks.append(f"{signature.place}: {name!r} of the job file is not used, Runyard injects it")
        elif name in declared or (signature.takes_any and name not in signature.names):
            keywords[name] = value
        elif name in callback.optional_keys:
            continue
        elif lenient:
            remarks.append(f"{signature.place} takes no {name!r}: left out")
        else:
            problems.append(_not_taken(signature, name=name, declared=declared))
    remarks += [
        f"{signature.place} takes no {name!r}, which Runyard could give it"
        for name in callback.given
        if name not in injected
    ]
    lacking = signature.required - {*by_position, *keywords, *injected}
    problems += [_lacking(callback, signature=signature, name=name) for name in signature.names if name in lacking]
    problems += _wrong_positions(callback, signature=signature)
    return Arguments({**keywords, **injected}, problems, remarks)


def _not_taken(signature: Signature, *, name: str, declared: Sequence[str]) -> ArgumentProblem:
    return ArgumentProblem(
        f"{signature.place} takes no {name!r}",
        argument=name,
        allowed=", ".join(declared) or "no arguments",
        nearest=nearest_name(name, declared),
    )


def _lacking(callback: Callback, *, signature: Signature, name: str) -> ArgumentProblem:
    source = f"{callback.section} does not give" if callback.section else "is not among what it can be given"
    can_be_given = [known for known in (*callback.given, *callback.injected) if known not in signature.names]
    return ArgumentProblem(
        f"{signature.place} requires {name!r}, which {source}", nearest=nearest_name(name, can_be_given)
    )


def _wrong_positions(callback: Callback, *, signature: Signature) -> Iterator[ArgumentProblem]:
    """What Runyard passes by position has no parameter, or a parameter can be given in no other way."""
    if len(signature.positional) < callback.positional and not signature.takes_more:
        yield ArgumentProblem(f"{signature.place} must take the model as its first parameter")
    for name in signature.positional[callback.positional :]:
        if name in signature.required and name not in signature.names:
            yield ArgumentProblem(f"{signature.place} takes {name!r} by position only, but Runyard passes it by name")
    for name in callback.given:
        if signature.takes_more and not signature.takes_any and name not in signature.names:
            yield ArgumentProblem(f"{signature.place} must take {name!r} by its name, not within *args")
