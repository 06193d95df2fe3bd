"""A process that is one of the workers of a training: who it is, and how it joins the others."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from runyard.cluster import Place, who_am_i
from runyard.errors import PlatformError
from runyard.runner.devices import ONLY_ONE, ProcessHere, choose_devices
from runyard.runner.plan import Plan
from runyard.runner.starting import configure_tensorflow, start

if TYPE_CHECKING:
    from runyard.training.workers import Workers

_VARIABLE = "RUNYARD_RUN"


@dataclass(frozen=True)
class Orders:
    """What a local supervisor tells its members beside their command line.

    Args:
        run: a name for all that it starts, so that `--fresh` throws nothing away that an earlier start has made.
        now: the moment that `${DATE}$` speaks of.
    """

    run: str
    now: str

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.now)

    def variables(self) -> dict[str, str]:
        return {_VARIABLE: json.dumps(asdict(self))}


def orders_of_supervisor() -> Orders | None:
    """None in a process that was started by somebody else."""
    told = os.environ.get(_VARIABLE)
    return Orders(**json.loads(told)) if told else None


def place_in_cluster() -> Place | None:
    """The place that TF_CONFIG gives this process; None where it speaks of no cluster.

    Raises:
        ConfigError: if TF_CONFIG makes no sense.
        PlatformError: if the cluster has parameter servers.
    """
    place = who_am_i(tf_config=os.environ.get("TF_CONFIG"))
    if place is not None and place.cluster.ps:
        raise PlatformError("TF_CONFIG names parameter servers, which this version cannot train with")
    return place


def join_others(place: Place | None, *, plan: Plan) -> "Workers":
    """Starts TensorFlow, and its server where there are other workers."""
    start(plan)
    from runyard.training.workers import ALONE

    args = plan.job.job_detail.train_args
    assert args is not None, "the job file was checked"
    # Nothing of TensorFlow's own can be set once it has begun to work.
    configure_tensorflow(intra_op=args.intra_op_paral, inter_op=args.inter_op_paral, verbose=args.verbose)
    choose_devices(args, process=_among_processes_here(place))
    if place is None or place.is_lone:
        return ALONE
    from runyard.training.together import Together

    return Together(place, implementation=args.mw_com)


def _among_processes_here(place: Place | None) -> ProcessHere:
    """Which of the processes on this machine this is, as far as that is known: where a supervisor has started them."""
    if place is None or orders_of_supervisor() is None:
        return ONLY_ONE
    members = list(place.cluster.members())
    return ProcessHere(members.index(place.member), len(members))
