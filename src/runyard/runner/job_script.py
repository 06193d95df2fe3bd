"""The callbacks of a job as typed functions: called as the contract says, their results checked."""

from typing import Any

from runyard.bridge import keras_version_of
from runyard.config import LossSpec, MetricSpec
from runyard.runner.called_script import require
from runyard.runner.job_datasets import JobDatasets
from runyard.runner.plan import Plan
from runyard.script import load_script
from runyard.script.contract import CREATE_MODEL, GROUP_VARIABLES, LOAD_MODEL, MODEL_TO_SAVE, OBSERVERS, Returns
from runyard.script.factories import call_factory


class JobScript(JobDatasets):
    """All callbacks of a script: those for datasets, and those for models, losses, metrics and observers."""

    def create_model(self) -> Any:
        model = self.call(CREATE_MODEL, config=self.job.job_detail.model_args)
        require(keras_version_of(model) is not None, CREATE_MODEL, returned=model)
        return model

    def model_to_save(self, model: Any) -> Any:
        """What `awf_model_to_save_fn` returns, or the model itself where there is none or it returns None."""
        if not self.has(MODEL_TO_SAVE):
            return model
        saved = self.call(MODEL_TO_SAVE, model, config=self.job.job_detail.save_model_args)
        return model if saved is None else saved

    @property
    def loads_models(self) -> bool:
        """Whether the script has a loader of its own."""
        return self.has(LOAD_MODEL)

    def load_model(self, path: str, *, name: str, purpose: str) -> Any:
        """What `awf_load_model_fn` returns: something to call, or None for a model that is to be left out."""
        given = {"path": path, "name": name, "purpose": purpose}
        model = self.call(LOAD_MODEL, config=self.job.job_detail.load_model_args, injectable=given)
        require(model is None or callable(model), LOAD_MODEL, returned=model)
        return model

    def variable_groups(self, model: Any) -> list[list[Any]]:
        """The variables of each optimizer."""
        groups = self.call(GROUP_VARIABLES, model)
        require(isinstance(groups, tuple | list), GROUP_VARIABLES, returned=groups)
        assert isinstance(groups, tuple | list)
        return [list(group) for group in groups]

    def observers(self) -> object:
        """What `awf_observers_fn` returns, or None where there is none."""
        return self.call(OBSERVERS) if self.has(OBSERVERS) else None

    def loss_factory(self, model: Any) -> Any:
        """Makes losses with functions of the script."""

        def make(spec: LossSpec) -> object:
            return call_factory(self.script, spec, model=model, injectable=self.injectable(), returns=Returns.LOSS)

        return make

    def metric_factory(self, model: Any) -> Any:
        """Makes metrics with functions of the script."""

        def make(spec: MetricSpec) -> object:
            return call_factory(self.script, spec, model=model, injectable=self.injectable(), returns=Returns.METRIC)

        return make


def load_job_script(plan: Plan) -> JobScript:
    """Runs the top level of the job's script.

    Raises:
        ScriptError, CallbackFailed: if it cannot be run; see `load_script`.
    """
    path = plan.draft.script_path
    assert path is not None, "the job file was checked"
    return JobScript(load_script(path), plan.job, plan.paths, lenient=plan.draft.lenient)
