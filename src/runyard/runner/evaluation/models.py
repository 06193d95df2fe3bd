"""Each model of an evaluation in turn: loaded, run over every test set, and let go."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runyard.bridge.distinct import distinct_names
from runyard.data.elements import split_element
from runyard.errors import ModelError, RunyardError
from runyard.reports.evaluation import ScoredOutput
from runyard.runner.evaluation.baseline import number_of_baseline
from runyard.runner.evaluation.comparison import Comparison, DatasetResult, EvaluatedModel, FailedModel
from runyard.runner.evaluation.directions import Direction, directions
from runyard.runner.evaluation.scored_outputs import ScoredOutputs
from runyard.runner.evaluation.sets import EvaluationSet, evaluation_sets
from runyard.runner.evaluation.settings import EvaluationSettings, evaluation_settings
from runyard.runner.job_script import JobScript, load_job_script
from runyard.runner.mismatch import refuse_unfit
from runyard.runner.model_sources import LoadedModel, ModelSource, load
from runyard.runner.plan import Plan
from runyard.runner.starting import configure_tensorflow
from runyard.telemetry import note, say
from runyard.training.evaluating import EmptyDataset, Evaluation
from runyard.training.evaluation_plan import EvaluationPlan, build_evaluation
from runyard.training.evaluation_step import Watch
from runyard.training.randomness import Purpose, seed_for

_SECONDS_BETWEEN_SIGNS_OF_LIFE = 30


def evaluate_models(
    plan: Plan, sources: Sequence[ModelSource], *, so_far: Callable[[Comparison], None]
) -> tuple[Comparison, Sequence[ScoredOutput]]:
    """Evaluates every model. One that fails is noted with its reason, and the next one follows.

    Args:
        so_far: is shown what is known after each model but the last.

    Raises:
        InvalidJob: if `baseline` names no model.
        DataError: if the test sets cannot be used, whatever the model is.
        ModelError: if `awf_load_model_fn` leaves all models out.
    """
    settings = evaluation_settings(plan.job)
    args = settings.args
    configure_tensorflow(intra_op=args.intra_op_paral, inter_op=args.inter_op_paral, verbose=args.verbose)
    script = load_job_script(plan)
    with script.active():
        baseline = number_of_baseline(plan, sources, script=script)
        seed_for(settings.seed, purpose=Purpose.TEST_DATA)
        evaluator = _Evaluator(script, settings, evaluation_sets(script, settings=settings))
        for number, source in enumerate(sources):
            evaluator.evaluate(source, number=number)
            if evaluator.models and number + 1 < len(sources):
                so_far(evaluator.comparison(baseline))
    if not evaluator.models and not evaluator.failed:
        raise ModelError("there is nothing to evaluate: awf_load_model_fn returned None for every model")
    comparison = evaluator.comparison(baseline)
    if comparison.baseline is None:
        note(f"there is no baseline: {sources[baseline].name or sources[baseline].path} was not evaluated")
    return comparison, evaluator.scored


def evaluate_one_batch(
    script: JobScript, model: Any, *, name: str, settings: EvaluationSettings, sets: Sequence[EvaluationSet]
) -> None:
    """Whether a model that is not saved yet can be evaluated.

    Raises:
        DataError: if a test set does not fit it.
    """
    evaluator = _Evaluator(script, settings, sets)
    evaluation = evaluator.build(LoadedModel(name, Path(), model), name=name, watch=None)
    for item in sets:
        with evaluator.fitting(name, item):
            evaluation(item.dataset, what=item.what, batches=1)


@dataclass
class _Evaluator:
    """What all models have in common, and what is known of them so far.

    Args:
        names: of models, by their number in the job.
    """

    script: JobScript
    settings: EvaluationSettings
    sets: Sequence[EvaluationSet]
    models: list[EvaluatedModel] = field(default_factory=list[EvaluatedModel])
    failed: list[FailedModel] = field(default_factory=list[FailedModel])
    scored: list[ScoredOutput] = field(default_factory=list[ScoredOutput])
    directions: dict[str, Direction] = field(default_factory=dict[str, Direction])
    names: dict[int, str] = field(default_factory=dict[int, str])
    sets_were_read: bool = False

    def comparison(self, baseline: int) -> Comparison:
        """Of the models so far.

        Args:
            baseline: the number of the model that the others are compared with.
        """
        name = self.names.get(baseline)
        known = name if name in [model.name for model in self.models] else None
        return Comparison(list(self.models), list(self.failed), known, self.directions)

    def evaluate(self, source: ModelSource, *, number: int) -> None:
        """Takes in what one model scores, or why it fails."""
        try:
            model = load(source, script=self.script, purpose="evaluate", number=number)
            if model is None:
                note(f"{source.path} is left out: awf_load_model_fn returned None")
                return
            self._take_name(model.name, number=number)
            self._rewind_sets()
            self._run(model, name=self.names[number])
        except EmptyDataset:
            raise
        except RunyardError as error:
            if number not in self.names:
                self._take_name(source.name or source.path.name, number=number)
            self.failed.append(FailedModel(self.names[number], source.path, error))
            note(f"{self.names[number]} failed; the reason is told at the end")

    def _take_name(self, name: str, *, number: int) -> None:
        """The name itself, or one like it that no other model has."""
        self.names[number] = distinct_names([*self.names.values(), name])[-1]

    def _rewind_sets(self) -> None:
        """Every model sees the same rows in the same order: shuffles cannot be rewound, so the sets are made anew."""
        if self.sets_were_read and any(item.varies for item in self.sets):
            seed_for(self.settings.seed, purpose=Purpose.TEST_DATA)
            self.sets = evaluation_sets(self.script, settings=self.settings, again=True)
        self.sets_were_read = True

    def _run(self, model: LoadedModel, *, name: str) -> None:
        scores = ScoredOutputs(weighted=self.settings.all_weighted) if self.settings.args.report else None
        evaluation = self.build(model, name=name, watch=scores.watch if scores else None)
        results: list[DatasetResult] = []
        scored: list[ScoredOutput] = []
        for item in self.sets:
            seed_for(self.settings.seed, purpose=Purpose.TEST_DATA)  # Python in the data gives all the same rows.
            started = time.perf_counter()
            with self.fitting(name, item):
                metrics = evaluation(
                    item.dataset,
                    what=item.what,
                    batches=item.batches,
                    between_calls=_signs_of_life(evaluation, what=f"{name}, {item.what}"),
                )
            seconds = time.perf_counter() - started
            say(f"{name}, {item.what}: {evaluation.rows} rows in {seconds:.1f} s.")
            results.append(DatasetResult(item.key, evaluation.rows, seconds, metrics))
            scored += scores.take(model=name, dataset=item.key) if scores else []
        losses = [result for result in evaluation.names if result not in evaluation.specs]
        self.directions.update(directions(evaluation.specs, losses=losses))
        self.models.append(EvaluatedModel(name, model.path, results))
        self.scored += scored

    def build(self, model: LoadedModel, *, name: str, watch: Watch | None) -> Evaluation:
        plan = EvaluationPlan(
            self.settings.losses,
            self.settings.metrics,
            self.settings.weighted_metrics,
            loss_factory=self.script.loss_factory(model.model),
            metric_factory=self.script.metric_factory(model.model),
        )
        first = self.sets[0]
        with self.fitting(name, first):
            evaluation, remarks = build_evaluation(
                model.model, dataset=first.dataset, inputs=self.settings.inputs, plan=plan, watch=watch
            )
        for remark in remarks:
            note(f"{name}: {remark}")
        return evaluation

    def fitting(self, name: str, item: EvaluationSet) -> AbstractContextManager[None]:
        return refuse_unfit(
            f"the {item.what} does not fit the model {name}",
            came=self.settings.inputs.apply(split_element(item.dataset.element_spec).inputs),
            folder=self.script.folder,
            choice=self.settings.inputs,
        )


def _signs_of_life(evaluation: Evaluation, *, what: str) -> Callable[[], None]:
    """Says now and then how far it is."""
    last = time.monotonic()

    def perhaps() -> None:
        nonlocal last
        if time.monotonic() - last > _SECONDS_BETWEEN_SIGNS_OF_LIFE:
            last = time.monotonic()
            say(f"{what}: {evaluation.rows} rows so far.")

    return perhaps
