"""`--fast-dev-run`: everything once, nothing kept."""

import tempfile
from dataclasses import replace
from pathlib import Path

from runyard.config import JobPaths
from runyard.runner.plan import Plan
from runyard.runner.train import TrainOptions, TrainResult

_STEPS = 2


def rehearse_training(plan: Plan, options: TrainOptions) -> TrainResult:
    """Two steps, one validation batch, and the model saved where nobody needs it."""
    from runyard.bridge import start_tensorflow

    start_tensorflow(plan.job.keras)
    from runyard.runner.assembly import assemble
    from runyard.runner.saving import save_trained

    assembled = assemble(plan, seed=0, directory=None, options=replace(options, max_steps=_STEPS))
    with assembled.active(), tempfile.TemporaryDirectory() as folder:
        outcome = assembled.fit()
        elsewhere = replace(plan, draft=replace(plan.draft, paths=JobPaths(pack=plan.paths.pack, data=Path(folder))))
        save_trained(
            assembled.script,
            assembled.engine.model,
            plan=elsewhere,
            input_spec=assembled.input_spec,
            results=outcome.results,
        )
    return TrainResult("everything ran once, nothing was kept", outcome.epochs, outcome.step, outcome.results)
