"""Calling the user's callbacks."""

from collections.abc import Callable, Mapping

from runyard.config import InvalidJob, Problem
from runyard.errors import RunyardError, ScriptError
from runyard.script.arguments import arguments_for
from runyard.script.contract import Callback
from runyard.script.failures import callback_failure
from runyard.script.loading import Script
from runyard.script.signature import signature_of


def call(
    script: Script,
    callback: Callback,
    *subjects: object,
    config: Mapping[str, object] | None = None,
    injectable: Mapping[str, object] | None = None,
    lenient: bool = False,
) -> object:
    """Calls a callback as the contract says, within the script's own context.

    Args:
        subjects: what is passed by position, such as the model.
        config: the arguments of the job file.
        injectable: what Runyard can inject.
        lenient: leave out arguments that the function does not take.

    Raises:
        ScriptError: if the script has no such function.
        InvalidJob: if arguments do not fit.
        CallbackFailed: if the function raises, or ends the process.
    """
    function = script.function(callback.name)
    if function is None:
        raise ScriptError(f"{script.path} defines no function {callback.name}")
    keywords = keyword_arguments(
        script, callback, function=function, config=config or {}, injectable=injectable or {}, lenient=lenient
    )
    try:
        with script.active():
            return function(*subjects, **keywords)
    except RunyardError:
        raise
    except (Exception, SystemExit) as error:
        folder = script.path.parent
        raise callback_failure(error, doing=f"calling {callback.name}", folder=folder) from error


def keyword_arguments(
    script: Script,
    callback: Callback,
    *,
    function: Callable[..., object],
    config: Mapping[str, object],
    injectable: Mapping[str, object],
    lenient: bool,
) -> Mapping[str, object]:
    """The keywords of a call, checked against the live function, which decorators may have changed."""
    signature = signature_of(function, name=callback.name)
    if signature is None:
        return {**config, **{name: injectable[name] for name in callback.given if name in injectable}}
    bound = arguments_for(callback, signature=signature, config=config, injectable=injectable, lenient=lenient)
    if bound.problems:
        raise InvalidJob(
            [
                Problem(problem.message, source=str(script.path), allowed=problem.allowed, nearest=problem.nearest)
                for problem in bound.problems
            ]
        )
    return bound.keywords


def declares(script: Script, callback: Callback, *, parameter: str) -> bool:
    """Whether a callback has a parameter, such as `batch_size`, that changes what Runyard does with its result."""
    function = script.function(callback.name)
    signature = signature_of(function, name=callback.name) if function else None
    return signature is not None and parameter in signature.names
