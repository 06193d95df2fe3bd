"""Losses and metrics that the user's script makes: functions that the job file names."""

from collections.abc import Iterator, Mapping

from runyard.config import Job, JobDraft, JsonPath, LossSpec, MetricSpec
from runyard.config.mistakes import Mistake
from runyard.config.written_forms import LossForms, MetricForms
from runyard.script.arguments import arguments_for
from runyard.script.calling import call
from runyard.script.contract import Callback, Returns, factory_callback
from runyard.script.loading import Script
from runyard.script.outline import Outline
from runyard.script.signature import Signature
from runyard.script.static_check import Findings

_LABELS_AND_OUTPUTS = frozenset({"y_true", "y_pred"})


def call_factory(
    script: Script,
    spec: LossSpec | MetricSpec,
    *,
    model: object,
    injectable: Mapping[str, object],
    returns: Returns,
    lenient: bool = False,
) -> object:
    """Makes a loss or metric with the function of that name in the script.

    Raises:
        ScriptError: if the script has no such function.
        InvalidJob: if `args` do not fit it.
        CallbackFailed: if it raises.
    """
    return call(
        script,
        factory_callback(spec.type, returns=returns),
        config=spec.args,
        injectable={**injectable, "model": model},
        lenient=lenient,
    )


def check_factories(outline: Outline, *, job: Job, draft: JobDraft) -> Findings:
    """Which `args` of losses and metrics do not fit the script's functions, as far as their parameters can be seen."""
    findings = Findings([], [])
    for path, spec in _specs(job):
        signature = outline.names.get(spec.type)
        if signature is None or not spec.is_factory:
            continue
        returns = Returns.LOSS if isinstance(spec, LossSpec) else Returns.METRIC
        callback = factory_callback(spec.type, returns=returns)
        if signature.required >= _LABELS_AND_OUTPUTS:
            findings.problems.append(draft.problem(_is_no_factory(signature, callback=callback, path=path)))
            continue
        bound = arguments_for(
            callback,
            signature=signature,
            config=spec.args,
            injectable=dict.fromkeys(callback.injected),
            lenient=draft.lenient,
        )
        findings.remarks.extend(bound.remarks)
        for problem in bound.problems:
            place = (*path, "args", *([problem.argument] if problem.argument else []))
            mistake = Mistake(problem.message, path=place, allowed=problem.allowed, nearest=problem.nearest)
            findings.problems.append(draft.problem(mistake))
    return findings


def _is_no_factory(signature: Signature, *, callback: Callback, path: JsonPath) -> Mistake:
    return Mistake(
        f"{signature.place} takes y_true and y_pred, but it is called without them, once, to make what is then used",
        path=(*path, "type"),
        allowed=f"a function that returns {callback.returns.value}",
    )


def _specs(job: Job) -> Iterator[tuple[JsonPath, LossSpec | MetricSpec]]:
    """Every loss and metric of a job with its place. How the forms are sorted has no place in the file."""
    train, evaluate = job.job_detail.train_args, job.job_detail.eval_args
    if train is not None:
        path = ("job_detail", "train_args")
        yield from _losses(train.losses, path=(*path, "losses"))
        yield from _metrics(train.metrics, path=(*path, "metrics"))
        yield from _metrics(train.weighted_metrics, path=(*path, "weighted_metrics"))
    if evaluate is not None:
        path = ("job_detail", "eval_args")
        yield from _losses(evaluate.losses, path=(*path, "losses"))
        yield from _metrics(evaluate.metrics, path=(*path, "metrics"))
        yield from _metrics(evaluate.weighted_metrics, path=(*path, "weighted_metrics"))


def _losses(forms: LossForms | None, *, path: JsonPath) -> Iterator[tuple[JsonPath, LossSpec]]:
    if forms is not None:
        for place, spec in (*enumerate(forms.in_order or ()), *(forms.by_output or {}).items()):
            yield (*path, place), spec


def _metrics(forms: MetricForms | None, *, path: JsonPath) -> Iterator[tuple[JsonPath, MetricSpec]]:
    if forms is not None:
        for place, spec in enumerate(forms.every_output or ()):
            yield (*path, place), spec
        for output, specs in (*enumerate(forms.in_order or ()), *(forms.by_output or {}).items()):
            for place, spec in enumerate(specs):
                yield (*path, output, place), spec
