"""What a task needs from the job file beyond keys that are right by themselves."""

from collections.abc import Collection, Iterator

from runyard.config import Job, JobDraft, Problem
from runyard.config.mistakes import Mistake, show_value
from runyard.config.train_args import TrainArgs
from runyard.runner.evaluation.settings import evaluation_settings
from runyard.runner.overwriting import overwriting
from runyard.runner.shard_policies import unknown_shard_policies
from runyard.script import Outline, Task
from runyard.script.contract import GROUP_VARIABLES


def unmet_requirements(job: Job, *, draft: JobDraft, outline: Outline, tasks: Collection[Task]) -> list[Problem]:
    """Keys that are missing, or that need something that is not there."""
    found = [*_of_training(job, outline=outline), *_of_elastic(job, draft=draft)] if Task.TRAIN in tasks else []
    found += _of_evaluation(job) if Task.EVALUATE in tasks else []
    found += unknown_shard_policies(job, outline=outline, tasks=tasks)
    found += _impossible_paths(job)
    found += overwriting(job, draft=draft)
    if job.trainer == "plain":
        found.append(
            Mistake(
                "a plain script is no runner job; start it with `runyard run`", path=("trainer",), received='"plain"'
            )
        )
    return [draft.problem(mistake) for mistake in found]


def _impossible_paths(job: Job) -> Iterator[Mistake]:
    """No file system takes a NUL character, and no message should show one."""
    train_args = job.job_detail.train_args
    for key in ("save_path", "ckpt_path"):
        if train_args is not None and "\0" in getattr(train_args, key):
            yield Mistake("a path cannot hold a NUL character", path=("job_detail", "train_args", key))
    eval_args = job.job_detail.eval_args
    if eval_args is not None and "\0" in (eval_args.output_file or ""):
        yield Mistake("a path cannot hold a NUL character", path=("job_detail", "eval_args", "output_file"))
    predict_args = job.job_detail.predict_args
    for key in ("result_file", "model_path"):
        if predict_args is not None and "\0" in (getattr(predict_args, key) or ""):
            yield Mistake("a path cannot hold a NUL character", path=("job_detail", "predict_args", key))


def _of_evaluation(job: Job) -> Iterator[Mistake]:
    if not evaluation_settings(job).measures_something:
        place = ("job_detail", "eval_args") if job.job_detail.eval_args is not None else ("job_detail",)
        yield Mistake("there is nothing to measure: neither eval_args nor train_args has metrics or losses", path=place)


def _of_training(job: Job, *, outline: Outline) -> Iterator[Mistake]:
    train_args = job.job_detail.train_args
    if train_args is None:
        yield Mistake("required key 'train_args' is missing: a training needs at least losses", path=("job_detail",))
        return
    yield from _of_continuing(job)
    if job.num_pss:
        yield from unsuited_to_servers(train_args)
    place = ("job_detail", "train_args")
    if train_args.losses is None:
        yield Mistake("required key 'losses' is missing", path=place)
    if len(train_args.optimizer) > 1 and outline.complete and GROUP_VARIABLES.name not in outline.names:
        yield Mistake(
            f"{len(train_args.optimizer)} optimizers need {GROUP_VARIABLES.name}, which the script does not define",
            path=(*place, "optimizer"),
        )
    if len(train_args.optimizer) > 1:
        processes = {spec.grad_process for spec in train_args.optimizer}
        if len(processes) > 1:
            yield Mistake(
                "grad_process works on the gradients of all variables, so all optimizers must name the same",
                path=(*place, "optimizer"),
                received=", ".join(str(process) for process in processes),
            )


def _of_elastic(job: Job, *, draft: JobDraft) -> Iterator[Mistake]:
    """One worker may go on alone with what several have begun, and a platform may count its workers itself."""
    train_args = job.job_detail.train_args
    fewest = train_args.restart.min_workers if train_args is not None else None
    if fewest is None or job.num_workers == 1 or fewest <= job.num_workers or job.num_pss:
        return
    option = draft.source_of(("num_workers",))
    yield Mistake(
        "a job cannot go on with more workers than it has",
        path=("job_detail", "train_args", "restart", "min_workers"),
        received=f"{fewest}, with {option or f'num_workers {job.num_workers}'}",
        allowed=f"1 to {job.num_workers}",
    )


def unsuited_to_servers(args: TrainArgs) -> Iterator[Mistake]:
    """What does not work with parameter servers."""
    if args.jit_compile:
        yield Mistake(
            "XLA cannot compile a step whose variables are on parameter servers",
            path=("job_detail", "train_args", "jit_compile"),
            received="true",
        )
    if args.devices not in ("auto", 1):
        yield Mistake(
            "workers of parameter servers have one device each",
            path=("job_detail", "train_args", "devices"),
            received=str(args.devices),
        )


def _of_continuing(job: Job) -> Iterator[Mistake]:
    """Keys of `model_args` that are for Runyard, while all others are the script's own."""
    kinds = {"continue_training": (bool, "true or false"), "continue_training_model_path": (str, "a path")}
    for key, (kind, needed) in kinds.items():
        value = job.job_detail.model_args.get(key)
        if value is not None and not isinstance(value, kind):
            yield Mistake(f"{key} must be {needed}", path=("job_detail", "model_args", key), received=show_value(value))


_FOR_SEVERAL_WORKERS = ("mw_com", "restart")


def without_effect(job: Job) -> list[str]:
    """Settings that only several processes heed, where there is one; and those that this version heeds nowhere."""
    remarks: list[str] = []
    train_args = job.job_detail.train_args
    written = train_args.model_fields_set if train_args is not None else set[str]()
    if "var_partition_policy" in written:
        remarks.append("train_args.var_partition_policy: each variable is on one parameter server, in one piece")
    if job.num_pss and "mw_com" in written:
        remarks.append("train_args.mw_com: with parameter servers, workers do not talk to each other")
    fewest = train_args.restart.min_workers if train_args is not None else None
    if fewest is not None and job.num_pss:
        remarks.append("train_args.restart.min_workers: with parameter servers, a job goes on with all workers only")
    if job.num_workers == 1 and not job.num_pss:
        remarks += [
            f"train_args.{key}: it concerns several workers, and this job has one"
            for key in _FOR_SEVERAL_WORKERS
            if key in written
        ]
    return remarks
