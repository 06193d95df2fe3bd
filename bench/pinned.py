"""What the measured processes of a cluster do first and last: each stays on a core of its own, the chief writes."""

import json
import os
from pathlib import Path
from typing import Any

from runyard.cluster import Place, who_am_i
from runyard.training.workers import Workers, is_chief, wait_for_all


def pinned_place() -> Place:
    """The place that TF_CONFIG gives this process, which is kept on one core from now on."""
    place = who_am_i(tf_config=os.environ["TF_CONFIG"])
    assert place is not None
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[place.member.index % len(cores)]})
    return place


def write_and_leave(found: dict[str, Any], *, file: Path, workers: Workers) -> None:
    """Ends the process, once all are done."""
    if is_chief(workers):
        file.write_text(json.dumps(found))
    wait_for_all(workers)
    os._exit(0)
