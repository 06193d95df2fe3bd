"""Trainings that keep nothing: everything once, or a few batches over and over."""

import tempfile
from dataclasses import replace
from pathlib import Path

from runyard.cluster import Heartbeat, Place
from runyard.config import JobPaths
from runyard.runner.devices import choose_devices, devices_of
from runyard.runner.membership import dismiss_others, join_others, refusing_lost_servers
from runyard.runner.plan import Plan
from runyard.runner.starting import start
from runyard.runner.train_options import TrainOptions
from runyard.runner.train_result import TrainResult
from runyard.telemetry import note


def rehearse(plan: Plan, options: TrainOptions, *, place: Place | None, heartbeat: Heartbeat) -> TrainResult:
    """`--fast-dev-run`: two steps, one validation batch, and the model saved where nobody needs it.

    Several workers do it together, as they would train.
    """
    workers = join_others(place, plan=plan)
    from runyard.runner.assembly import assemble
    from runyard.runner.saving import save_trained
    from runyard.training.division import Division
    from runyard.training.workers import is_chief, wait_for_all

    division = Division(shards=workers.size, replicas=devices_of(plan.train_args, place=place))
    with refusing_lost_servers(workers):
        assembled = assemble(
            plan,
            seed=0,
            directory=None,
            options=options,
            workers=workers,
            division=division,
            heartbeat=heartbeat,
        )
    assembled.meet()
    with assembled.active(), refusing_lost_servers(workers), tempfile.TemporaryDirectory() as folder:
        outcome = assembled.fit()
        elsewhere = replace(plan, draft=replace(plan.draft, paths=JobPaths(pack=plan.paths.pack, data=Path(folder))))
        if is_chief(workers):
            save_trained(
                assembled.script,
                assembled.engine.model,
                plan=elsewhere,
                input_spec=assembled.input_spec,
                results=outcome.results,
            )
    wait_for_all(workers)
    dismiss_others(workers)
    together = "" if place is None or place.is_lone else f" on {place.cluster.shape}"
    return TrainResult(
        f"everything ran once{together}, nothing was kept", outcome.epochs, outcome.step, outcome.results
    )


def overfit(plan: Plan, options: TrainOptions, *, place: Place | None) -> TrainResult:
    """`--overfit-batches`: a training on a few batches, whose results are shown.

    Whether a model can learn a few batches by heart is seen in one process.
    """
    if place is not None and not place.is_chief:
        return TrainResult("--overfit-batches trains in the chief alone")
    if (place is not None and not place.is_lone) or plan.needs_others:
        note("--overfit-batches trains in one process, without the other workers")
    start(plan)
    from runyard.runner.assembly import assemble
    from runyard.training.division import Division

    choose_devices(plan.train_args)
    division = Division(replicas=devices_of(plan.train_args))
    assembled = assemble(plan, seed=0, directory=None, options=options, division=division)
    with assembled.active():
        outcome = assembled.fit()
    return TrainResult(f"{outcome.reason}, nothing was kept", outcome.epochs, outcome.step, outcome.results)
