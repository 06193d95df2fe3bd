"""A `ckpt_path` with a date in it: the same command after midnight goes on with the run that was cut short before."""

import glob
import re
from collections.abc import Iterator
from pathlib import Path

from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RECORD_FILE, RunRecord, read_record
from runyard.config import JobRequest
from runyard.errors import RunyardError
from runyard.runner.plan import Plan, plan_training

_DATE = re.compile(r"\$\{DATE.*?\}\$")


def begun_under_another_date(request: JobRequest, plan: Plan) -> RunRecord | None:
    """The newest run of this job that was begun under another date, is not finished, and that nobody is running.

    None where the path holds no date, or the run of today has begun.
    """
    written = plan.draft.unexpanded("train_args", "ckpt_path")
    if not isinstance(written, str) or not _DATE.search(written):
        return None
    today = plan.checkpoint_directory
    if (today / RECORD_FILE).exists():
        return None
    found = [record for path in _candidates(written, plan=plan) if (record := _unfinished(path, request=request))]
    return max(found, key=lambda record: record.moment, default=None)


def _candidates(written: str, *, plan: Plan) -> Iterator[Path]:
    """Directories that the path may have meant on some day."""
    places = (("PACK_PATH", plan.paths.pack), ("PROJ_PATH", plan.paths.pack))
    places += tuple((name, plan.paths.data) for name in ("DATA_PATH", "RUN_PATH", "EXPORT_PATH"))
    for name, path in places:
        written = written.replace(f"${{{name}}}$", str(path))
    pattern = "*".join(glob.escape(part) for part in _DATE.split(written))
    records = plan.paths.in_data(pattern) / RECORD_FILE
    for found in Path(records.anchor).glob(str(records.relative_to(records.anchor))):
        yield found.parent


def _unfinished(directory: Path, *, request: JobRequest) -> RunRecord | None:
    try:
        record = read_record(directory)
        if record is None or record.result is not None:
            return None
        if plan_training(request, now=record.moment).checkpoint_directory != directory:
            return None
        with RunLock(directory):
            return record
    except RunyardError:
        # It is alive, or not ours to judge: whoever starts it with its own path will be told.
        return None
