"""A training with several workers on this machine: this process supervises, each worker is a process of its own."""

import os
import sys
import uuid
from dataclasses import replace

from runyard.cluster import FailurePolicy, GroupSpec, Layout, Place, supervise
from runyard.config import JobRequest
from runyard.config.train_args import TrainArgs
from runyard.runner.membership import Orders
from runyard.runner.plan import Plan
from runyard.runner.train_options import TrainOptions

LOGS = "logs"
_WAITING_FOR_OTHERS = 4
"""Threads between operations where most operations wait for a parameter server."""
_THREADS = {"TF_NUM_INTRAOP_THREADS": "intra_op_paral", "TF_NUM_INTEROP_THREADS": "inter_op_paral"}


def run_workers(request: JobRequest, *, plan: Plan, options: TrainOptions) -> None:
    """Runs the job's workers to the end. What they say, and why they fail, has been shown then.

    Raises:
        SystemExit: with the exit code of a job that failed or was stopped.
    """
    args = plan.train_args
    command = [sys.executable, "-P", "-m", "runyard", "train", *_arguments(request, options=options)]

    def command_of(place: Place) -> list[str]:
        return command

    ending = supervise(
        GroupSpec(
            command=command_of,
            layout=Layout(workers=plan.job.num_workers, ps=plan.job.num_pss),
            log_dir=plan.paths.in_data(LOGS),
            policy=_policy(args, plan=plan),
            env={
                **Orders(uuid.uuid4().hex, plan.now.isoformat(), plan.job.num_workers).variables(),
                **_threads(args, plan=plan),
            },
            hang_timeout=args.restart.hang_timeout,
            verbose=args.verbose,
        )
    )
    if ending.exit_code:
        raise SystemExit(ending.exit_code)


def _policy(args: TrainArgs, *, plan: Plan) -> FailurePolicy:
    policy = FailurePolicy.of(args.restart)
    # A coordinator knows no shards: as many workers go on as there were.
    return replace(policy, min_workers=None) if plan.job.num_pss else policy


def _arguments(request: JobRequest, *, options: TrainOptions) -> list[str]:
    """The options of this command, for a worker."""
    found = [str(request.job_file)] if request.job_file is not None else ["--job", str(request.job_text)]
    for option, value in (("--pack-path", request.pack_path), ("--data-path", request.data_path)):
        found += [option, str(value)] if value is not None else []
    for override in request.overrides:
        found += ["--set", override]
    found += ["--lenient"] if request.lenient else []
    found += ["--fresh"] if options.fresh else []
    found += ["--fast-dev-run"] if options.fast_dev_run else []
    found += ["--max-steps", str(options.max_steps)] if options.max_steps is not None else []
    return found


def _threads(args: TrainArgs, *, plan: Plan) -> dict[str, str]:
    """A fair share of the processors for each worker, where neither the job nor the environment says otherwise."""
    share = max(1, len(os.sched_getaffinity(0)) // plan.job.num_workers)
    environment = {**os.environ, **plan.job.envs}
    wanted = dict.fromkeys(_THREADS, share)
    if plan.job.num_pss:
        wanted["TF_NUM_INTEROP_THREADS"] = max(share, _WAITING_FOR_OTHERS)
    free = [name for name, key in _THREADS.items() if not getattr(args, key) and name not in environment]
    return {name: str(wanted[name]) for name in free}
