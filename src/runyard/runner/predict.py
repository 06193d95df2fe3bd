"""`runyard predict`: load, read, compute, write."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from runyard.checkpoint.durable import storage_errors
from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RECORD_FILE, RunRecord, read_record
from runyard.config import JobRequest
from runyard.config.eval_args import PredictArgs
from runyard.errors import CheckpointError, StorageError
from runyard.predictions.part import Places
from runyard.runner.plan import Plan, plan_job
from runyard.runner.prediction.shard import Shard
from runyard.runner.starting import start
from runyard.script import Task
from runyard.telemetry import note

_FORMATS = ("csv", "jsonl", "parquet", "tfrecord")
_OF_CSV_ALONE = ("result_field_delim", "output_delim", "write_headers")


@dataclass(frozen=True)
class PredictOptions:
    """What the command line says beyond the job.

    Args:
        resume: go on with an earlier prediction.
        only_if_it_fits: where that cannot be, start over instead of refusing.
        upstream: the result file of a training, which names the model.
        commit_seconds: between two records of how far the file is.
    """

    resume: bool = False
    shard: Shard | None = None
    upstream: Path | None = None
    commit_seconds: float = 2.0
    only_if_it_fits: bool = False


@dataclass(frozen=True)
class PredictResult:
    """What came out: no file if the job says skip.

    Args:
        rows: of the file.
        computed: those of them that no earlier run has computed, in so many seconds.
    """

    path: Path | None = None
    rows: int = 0
    computed: int = 0
    seconds: float = 0.0


def predict(request: JobRequest, options: PredictOptions) -> PredictResult:
    """Predicts every row of the job's dataset into a file.

    Raises:
        RunyardError: the kind says what went wrong; see `errors`.
    """
    plan = plan_job(request, tasks={Task.PREDICT})
    if plan.job.skip:
        return PredictResult()
    places = places_of(plan, options)
    with RunLock(places.progress):
        finished = False
        try:
            _tell(plan, places=places, options=options)
            result = _gone_on(request, places=places, options=options) if options.resume else None
            if result is None:
                result = _predict(plan, places=places, options=options)
            finished = True
            return result
        finally:
            # Once, and last: as soon as the directory is gone, another prediction may make and lock it anew.
            if finished or not (places.progress / RECORD_FILE).exists():
                shutil.rmtree(places.progress, ignore_errors=True)


def predict_args(plan: Plan) -> PredictArgs:
    return plan.job.job_detail.predict_args or PredictArgs()


def places_of(plan: Plan, options: PredictOptions) -> Places:
    """Where the predictions of this job go.

    Raises:
        StorageError: if they cannot go there.
    """
    result = plan.paths.in_data(predict_args(plan).result_name)
    result = options.shard.file(result) if options.shard else result
    if result.is_dir():
        raise StorageError(f"cannot write {result}: it is a directory", hint="change predict_args.result_file")
    with storage_errors(result):
        result.parent.mkdir(parents=True, exist_ok=True)
    return Places(result)


def _gone_on(request: JobRequest, *, places: Places, options: PredictOptions) -> PredictResult | None:
    """What comes of going on with an earlier prediction; None if it is to be started over."""
    try:
        earlier = read_record(places.progress)
        if earlier is not None:
            plan = plan_job(replace(request, now=earlier.moment), tasks={Task.PREDICT})
            return _predict(plan, places=places, options=options, earlier=earlier)
    except CheckpointError as problem:
        if not options.only_if_it_fits:
            raise
        note(f"{problem.message}: starting with the first row")
        return None
    if not options.only_if_it_fits:
        note("there is nothing to go on from: starting with the first row")
    return None


def _predict(plan: Plan, *, places: Places, options: PredictOptions, earlier: RunRecord | None = None) -> PredictResult:
    start(plan)
    from runyard.runner.prediction.rows import predict_rows

    return predict_rows(plan, places=places, options=options, earlier=earlier)


def _tell(plan: Plan, *, places: Places, options: PredictOptions) -> None:
    """What the user may not expect."""
    for remark in plan.remarks:
        note(remark)
    args = predict_args(plan)
    unused = [key for key in _OF_CSV_ALONE if key in args.model_fields_set]
    if args.format != "csv" and unused:
        note(f"the format is {args.format}, so these have no effect: {', '.join(unused)}")
    ending = places.result.suffix.removeprefix(".")
    if ending in _FORMATS and ending != args.format:
        note(f"result_file ends in .{ending}, but the format is {args.format}")
    if not options.resume and places.part.exists():
        note(f"{places.part} of an earlier run is overwritten; --resume would have gone on from it")
