"""Everything about a job that can be known before TensorFlow is imported."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from runyard.config import InvalidJob, Job, JobDraft, JobPaths, JobRequest, check_draft, draft_job
from runyard.config.train_args import TrainArgs
from runyard.runner.requirements import unmet_requirements, without_effect
from runyard.runner.shard_policies import unheeded_shard_policies
from runyard.script import Task, check_script, outline_script
from runyard.script.factories import check_factories
from runyard.script.outline import Outline


@dataclass(frozen=True)
class Plan:
    """A job whose file and script have been checked, for the tasks it is to do."""

    job: Job
    draft: JobDraft
    tasks: frozenset[Task]
    remarks: tuple[str, ...]
    now: datetime

    @property
    def paths(self) -> JobPaths:
        return self.draft.paths

    @property
    def train_args(self) -> TrainArgs:
        """What the job says about its training. Only for plans that train."""
        args = self.job.job_detail.train_args
        assert args is not None, "the job file was checked"
        return args

    @property
    def checkpoint_directory(self) -> Path:
        """Where the checkpoints of a training are. Only for plans that train."""
        return self.paths.in_data(self.train_args.ckpt_path)

    @property
    def needs_others(self) -> bool:
        """Whether the job asks for more processes than one."""
        return self.job.num_workers > 1 or self.job.num_pss > 0


def plan_job(request: JobRequest, *, tasks: Collection[Task] | None = None) -> Plan:
    """Checks the job file and, from its syntax tree, the script.

    Args:
        tasks: what the job is to do; None for all that its file describes.

    Raises:
        InvalidJob: with every problem of both.
    """
    request = replace(request, now=request.now or datetime.now())
    assert request.now is not None
    draft = draft_job(request)
    wanted = frozenset(tasks) if tasks is not None else described_tasks(draft)
    outline = outline_script(draft.script_path) if draft.script_path else Outline({}, complete=False)
    checked = check_draft(draft, factories=outline.factories)
    script = check_script(outline, draft=draft, tasks=wanted)
    problems = [*checked.problems, *script.problems]
    remarks = [*checked.remarks, *script.remarks]
    if checked.job is not None:
        factories = check_factories(outline, job=checked.job, draft=draft)
        problems += [*factories.problems, *unmet_requirements(checked.job, draft=draft, outline=outline, tasks=wanted)]
        remarks += unheeded_shard_policies(checked.job, outline=outline, tasks=wanted)
        remarks += [*factories.remarks, *(without_effect(checked.job) if Task.TRAIN in wanted else [])]
    if problems or checked.job is None:
        raise InvalidJob(problems)
    return Plan(checked.job, draft, wanted, tuple(remarks), request.now)


def plan_training(request: JobRequest, *, now: datetime | None) -> Plan:
    """The plan of a training.

    Args:
        now: the moment that `${DATE}$` speaks of, where a run was begun at another than this; None for this.
    """
    return plan_job(request if now is None else replace(request, now=now), tasks={Task.TRAIN})


_SIGNS = {
    Task.TRAIN: ("train_args", "train_data_args"),
    Task.EVALUATE: ("eval_args", "test_data_args"),
    Task.PREDICT: ("predict_args", "predict_data_args"),
}


def described_tasks(draft: JobDraft) -> frozenset[Task]:
    """The tasks that a job file speaks of; training when it speaks of none."""
    found = {task for task, keys in _SIGNS.items() if any(draft.section(key) is not None for key in keys)}
    return frozenset(found or {Task.TRAIN})
