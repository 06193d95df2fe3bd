"""The end of a training: the model is saved, and a file names it."""

from collections.abc import Mapping
from typing import Any

from runyard.checkpoint.state import Snapshot
from runyard.config import resolved_job
from runyard.models.input_specs import with_input_specs
from runyard.models.result_file import write_result_file
from runyard.models.saving import save_models
from runyard.models.to_save import models_to_save
from runyard.runner.job_script import JobScript
from runyard.runner.plan import Plan


def save_trained(
    script: JobScript,
    model: Any,
    *,
    plan: Plan,
    input_spec: Any,
    results: Mapping[str, Any],
    state: Snapshot | None = None,
) -> list[str]:
    """Saves what `awf_model_to_save_fn` chooses; the paths of the models.

    Args:
        input_spec: the training model's inputs, for models that do not know theirs.
        state: what a later training needs to go on from here.
    """
    chosen = models_to_save(script.model_to_save(model), default_name=script.stem)
    chosen = with_input_specs(chosen, trained=model, input_spec=input_spec)
    directory = plan.paths.in_data(plan.train_args.save_path)
    record = {"job": resolved_job(plan.job, plan.paths), "metrics": dict(results)}
    saved = save_models(chosen, directory=directory, record=record, state=state)
    write_result_file(saved, data_path=plan.paths.data, output_file=plan.job.output_file)
    return [str(path.path) for path in saved]
