"""A process that is one of the workers of a training: who it is, and how it joins the others."""

import json
import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from runyard.cluster import MemberFlags, Place, Shape, source_of_place, who_am_i
from runyard.config.train_args import TrainArgs
from runyard.errors import ConfigError
from runyard.runner.devices import ONLY_ONE, ProcessHere, choose_devices
from runyard.runner.plan import Plan
from runyard.runner.requirements import unsuited_to_servers
from runyard.runner.starting import configure_tensorflow, start
from runyard.telemetry import note

if TYPE_CHECKING:
    from runyard.training.workers import Workers

_VARIABLE = "RUNYARD_RUN"


@dataclass(frozen=True)
class Orders:
    """What a local supervisor tells its members beside their command line.

    Args:
        run: a name for all that it starts, so that `--fresh` throws nothing away that an earlier start has made.
        now: the moment that `${DATE}$` speaks of.
        workers: how many it began with; fewer may be left.
    """

    run: str
    now: str
    workers: int

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.now)

    def variables(self) -> dict[str, str]:
        return {_VARIABLE: json.dumps(asdict(self))}


def orders_of_supervisor() -> Orders | None:
    """None in a process that was started by somebody else."""
    told = os.environ.get(_VARIABLE)
    return Orders(**json.loads(told)) if told else None


def place_in_cluster(plan: Plan, *, flags: MemberFlags) -> Place | None:
    """The place that TF_CONFIG or a platform's flags give this process; None where they speak of no cluster.

    Raises:
        ConfigError: if they make no sense, or contradict each other.
    """
    told = os.environ.get("TF_CONFIG")
    place = who_am_i(tf_config=told, flags=flags)
    if place is not None:
        _note_other_shape(place, plan=plan, source=source_of_place(told))
        # TensorFlow, and perhaps the script, look for it there.
        os.environ["TF_CONFIG"] = place.tf_config()
    return place


def _note_other_shape(place: Place, *, plan: Plan, source: str) -> None:
    """The cluster has been made already, whatever the job asks for. A job that says nothing asks for nothing."""
    if not place.is_chief or orders_of_supervisor() is not None:
        return
    job, found = plan.job, place.cluster.shape
    written = job.model_fields_set
    asked = Shape(
        job.num_workers if "num_workers" in written else found.workers,
        job.num_pss if "num_pss" in written else found.ps,
    )
    if remark := asked.overruled_by(found, source=source):
        note(remark)


def join_others(place: Place | None, *, plan: Plan) -> "Workers":
    """Starts TensorFlow, and its server where there are other workers."""
    start(plan)
    from runyard.training.workers import ALONE

    args = _configured(plan)
    if place is not None and place.cluster.ps:
        for mistake in unsuited_to_servers(args):
            raise ConfigError(f"train_args.{mistake.path[-1]}: {mistake.message}")
        from runyard.training.coordinator import Coordinator

        return Coordinator(place)
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


def serve_others(place: Place, *, plan: Plan) -> None:
    """The part of a parameter server, or of a worker that one coordinator drives: returns when the job is done."""
    start(plan)
    from runyard.training.serving import serve

    _configured(plan)
    serve(place)


def refusing_lost_servers(workers: "Workers") -> AbstractContextManager[None]:
    """The context of everything that a coordinator does: all of it reads or writes what others hold.

    Raises:
        PeerLost: if one of them is gone.
    """
    from runyard.training.coordinator import Coordinator

    return workers.refusing_lost_peers() if isinstance(workers, Coordinator) else nullcontext()


def dismiss_others(workers: "Workers") -> None:
    """The job is done: those that only serve end."""
    from runyard.training.coordinator import Coordinator

    if isinstance(workers, Coordinator):
        workers.dismiss()


def _configured(plan: Plan) -> TrainArgs:
    """Nothing of TensorFlow's own can be set once it has begun to work."""
    args = plan.train_args
    configure_tensorflow(intra_op=args.intra_op_paral, inter_op=args.inter_op_paral, verbose=args.verbose)
    return args
