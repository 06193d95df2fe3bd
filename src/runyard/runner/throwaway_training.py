"""Trainings that keep nothing: everything once, or a few batches over and over."""

import tempfile
from dataclasses import replace
from pathlib import Path

from runyard.config import JobPaths
from runyard.runner.devices import choose_devices, devices_of
from runyard.runner.plan import Plan
from runyard.runner.starting import start
from runyard.runner.train import TrainOptions, TrainResult, training_args


def train_and_forget(plan: Plan, options: TrainOptions) -> TrainResult:
    """`--fast-dev-run`: two steps, one validation batch, and the model saved where nobody needs it.

    `--overfit-batches`: a training on a few batches, whose results are shown.
    """
    start(plan)
    from runyard.runner.assembly import assemble
    from runyard.runner.saving import save_trained
    from runyard.training.division import Division

    choose_devices(training_args(plan))
    division = Division(replicas=devices_of(training_args(plan)))
    assembled = assemble(plan, seed=0, directory=None, options=options, division=division)
    with assembled.active(), tempfile.TemporaryDirectory() as folder:
        outcome = assembled.fit()
        if not options.fast_dev_run:
            return TrainResult(f"{outcome.reason}, nothing was kept", outcome.epochs, outcome.step, outcome.results)
        elsewhere = replace(plan, draft=replace(plan.draft, paths=JobPaths(pack=plan.paths.pack, data=Path(folder))))
        save_trained(
            assembled.script,
            assembled.engine.model,
            plan=elsewhere,
            input_spec=assembled.input_spec,
            results=outcome.results,
        )
    return TrainResult("everything ran once, nothing was kept", outcome.epochs, outcome.step, outcome.results)
