"""The script against the job file, from the syntax tree alone: found together with all other mistakes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

from runyard.bridge.choice import wanted_keras
from runyard.config import JobDraft, Problem, nearest_name
from runyard.config.mistakes import Mistake
from runyard.script.arguments import ArgumentProblem, arguments_for
from runyard.script.contract import CALLBACKS, LOAD_MODEL, VAL_DATASET, WITHOUT_MEANING, Callback, Task
from runyard.script.outline import Outline
from runyard.script.signature import Signature
from runyard.script.two_keras import remark_on_two_keras


@dataclass(frozen=True)
class Findings:
    """Problems stop the job, remarks are for the log."""

    problems: list[Problem]
    remarks: list[str]


def check_script(outline: Outline, *, draft: JobDraft, tasks: Collection[Task]) -> Findings:
    """What is missing in the script, and which arguments of the job file do not fit its functions."""
    findings = Findings(list(outline.problems), [*_odd_names(outline), *_two_keras(draft)])
    for callback in CALLBACKS:
        if callback.name not in outline.names:
            findings.problems.extend(_missing(callback, outline=outline, draft=draft, tasks=tasks))
            continue
        signature = outline.names[callback.name]
        if signature is not None and _will_be_called(callback, draft=draft, tasks=tasks):
            _check_arguments(callback, signature=signature, draft=draft, findings=findings)
    return findings


def validation_is_skipped(signature: Signature, *, draft: JobDraft) -> bool:
    """A validation callback whose arguments the job does not give is skipped, unless it can do without any."""
    if draft.section("val_data_args") is not None:
        return False
    return bool(signature.required - set(VAL_DATASET.injected))


def _missing(callback: Callback, *, outline: Outline, draft: JobDraft, tasks: Collection[Task]) -> list[Problem]:
    wanted = callback.required_for & set(tasks)
    if not outline.complete or not wanted:
        return []
    needed_for = " and ".join(sorted(task.value for task in wanted))
    others = [name for name in outline.names if name.startswith("awf_")]
    return [
        Problem(
            f"the script defines no {callback.name}, which is needed to {needed_for}",
            source=str(draft.script_path),
            nearest=nearest_name(callback.name, others),
        )
    ]


def _odd_names(outline: Outline) -> list[str]:
    known = [callback.name for callback in CALLBACKS]
    remarks: list[str] = []
    for name in outline.names:
        if name in WITHOUT_MEANING:
            remarks.append(f"{name} is never called: {WITHOUT_MEANING[name]}")
        elif name.startswith("awf_") and name not in known:
            meant = nearest_name(name, known)
            remarks.append(f"{name} is no callback that Runyard knows" + (f"; did you mean {meant}?" if meant else ""))
    return remarks


def _two_keras(draft: JobDraft) -> list[str]:
    asked = draft.arranged.get("keras")
    chosen = wanted_keras(asked if asked in (2, 3) else None)
    remark = remark_on_two_keras(draft.script_path, chosen=chosen) if draft.script_path else None
    return [remark] if remark else []


def _will_be_called(callback: Callback, *, draft: JobDraft, tasks: Collection[Task]) -> bool:
    called_for = callback.called_for
    if callback is LOAD_MODEL and not _continues_training(draft):
        called_for -= {Task.TRAIN}
    return not called_for.isdisjoint(tasks)


def _continues_training(draft: JobDraft) -> bool:
    model_args = draft.section("model_args")
    return isinstance(model_args, dict) and bool(cast("Mapping[str, object]", model_args).get("continue_training"))


def _check_arguments(callback: Callback, *, signature: Signature, draft: JobDraft, findings: Findings) -> None:
    if callback is VAL_DATASET and validation_is_skipped(signature, draft=draft):
        findings.remarks.append(f"no validation: {signature.place} needs arguments, and there is no val_data_args")
        return
    section = draft.section(callback.section) if callback.section else None
    if not isinstance(section, dict | None):
        return  # The check of the job file says what is wrong with it.
    config = cast("Mapping[str, object]", section or {})
    stand_ins = dict.fromkeys((*callback.given, *callback.injected))
    bound = arguments_for(callback, signature=signature, config=config, injectable=stand_ins, lenient=draft.lenient)
    findings.remarks.extend(bound.remarks)
    findings.problems.extend(
        _placed(problem, callback=callback, signature=signature, draft=draft) for problem in bound.problems
    )


def _placed(problem: ArgumentProblem, *, callback: Callback, signature: Signature, draft: JobDraft) -> Problem:
    if callback.section is None:
        return Problem(problem.message, source=signature.file, line=signature.line)
    path = ("job_detail", callback.section, *([problem.argument] if problem.argument else []))
    mistake = Mistake(
        problem.message, path=path, allowed=problem.allowed, nearest=problem.nearest, key=problem.argument
    )
    return draft.problem(mistake)
