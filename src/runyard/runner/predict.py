"""`runyard predict`: load, read, compute, write."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from runyard.checkpoint.durable import storage_errors
from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RECORD_FILE, read_record
from runyard.config import JobRequest
from runyard.config.eval_args import PredictArgs
from runyard.errors import StorageError
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
        upstream: the result file of a training, which names the model.
        commit_seconds: between two records of how far the file is.
    """

    resume: bool = False
    shard: Shard | None = None
    upstream: Path | None = None
    commit_seconds: float = 2.0


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
        try:
            earlier = read_record(places.progress) if options.resume else None
            if earlier is not None:
                plan = plan_job(replace(request, now=earlier.moment), tasks={Task.PREDICT})
            _tell(plan, places=places, options=options, begun=earlier is not None)
            start(plan)
            from runyard.runner.prediction.rows import predict_rows

            result = predict_rows(plan, places=places, options=options, earlier=earlier)
            shutil.rmtree(places.progress, ignore_errors=True)
            return result
        finally:
            if not (places.progress / RECORD_FILE).exists():
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


def _tell(plan: Plan, *, places: Places, options: PredictOptions, begun: bool) -> None:
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
    if options.resume and not begun:
        note("there is nothing to go on from: starting with the first row")
    if not options.resume and places.part.exists():
        note(f"{places.part} of an earlier run is overwritten; --resume would have gone on from it")
