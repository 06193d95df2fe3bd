"""What can be known of an evaluation before the training whose model it is about: not hours later."""

from collections.abc import Iterator, Sequence

from runyard.runner.evaluation.comparison_file import evaluation_files
from runyard.runner.evaluation.named_models import ModelSource, named_baseline, named_models, no_such_baseline
from runyard.runner.plan import Plan
from runyard.script.contract import LOAD_MODEL, OBSERVERS
from runyard.script.outline import outline_script


def refuse_senseless_comparison(plan: Plan, *, online_model: str | None = None) -> list[str]:
    """Remarks about models that are missing now, and may be there when their turn comes.

    Raises:
        InvalidJob: if `baseline` names no model, or nothing says where the online model is.
        StorageError: if the results cannot be written.
    """
    evaluation_files(plan).refuse_unwritable()
    args, sources = plan.job.job_detail.eval_args, named_models(plan, online_model=online_model)
    names = [source.name for source in sources if source.name is not None]
    # Models without a name in the job have one of their own, which is seen when they are loaded.
    all_known = bool(sources) and len(names) == len(sources)
    wanted = args.baseline if args is not None else None
    if wanted is not None and all_known and named_baseline(wanted, sources, plan=plan) is None:
        raise no_such_baseline(wanted, known=names, plan=plan)
    return list(_missing(sources, plan=plan))


def _missing(sources: Sequence[ModelSource], *, plan: Plan) -> Iterator[str]:
    path, train_args = plan.draft.script_path, plan.job.job_detail.train_args
    assert path is not None and train_args is not None, "the job file was checked"
    outline = outline_script(path)
    if not outline.complete or {LOAD_MODEL.name, OBSERVERS.name}.intersection(outline.names):
        return  # what a path means, and what the training writes, is known to the script alone
    trained = plan.paths.in_data(train_args.save_path)
    for source in sources:
        if not source.path.exists() and not source.path.is_relative_to(trained):
            yield f"{source.path}, which is to be evaluated, does not exist"
