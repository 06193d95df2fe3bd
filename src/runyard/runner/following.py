"""The part of every worker but the chief: it trains with the chief, and writes nothing."""

from runyard.cluster import Heartbeat, Place
from runyard.config import JobRequest
from runyard.runner.membership import join_others
from runyard.runner.plan import Plan, plan_training
from runyard.runner.run_terms import RunTerms
from runyard.runner.train_options import TrainOptions
from runyard.runner.train_result import TrainResult


def follow(
    request: JobRequest, *, plan: Plan, options: TrainOptions, place: Place, heartbeat: Heartbeat
) -> TrainResult:
    """Trains with the chief to the end of the run."""
    workers = join_others(place, plan=plan)
    from runyard.runner.assembly import assemble
    from runyard.training.workers import wait_for_all

    terms = RunTerms.heard(workers)
    if terms.finished:
        wait_for_all(workers)
        return TrainResult("the run is finished")
    plan = plan_training(request, now=terms.moment)
    training = assemble(
        plan,
        seed=terms.seed,
        directory=plan.checkpoint_directory,
        options=options,
        workers=workers,
        division=terms.division,
        heartbeat=heartbeat,
    )
    training.meet()
    with training.active():
        outcome = training.fit()
    wait_for_all(workers)
    return TrainResult(outcome.reason, outcome.epochs, outcome.step, outcome.results)
