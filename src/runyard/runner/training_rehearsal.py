"""The parts of a training, made as for a training, with one step on one batch. Nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.config.train_args import TrainArgs
from runyard.data.batches import FirstBatch, explained, first_batch
from runyard.data.elements import split_element
from runyard.errors import RunyardError
from runyard.models import refuse_destination
from runyard.models.to_save import ModelToSave
from runyard.runner.blame import parts_to_blame, refuse_failing_step
from runyard.runner.check import CheckReport
from runyard.runner.check_rows import optimizer_rows, output_rows, result_rows, tensor_rows
from runyard.runner.continue_training import starting_point
from runyard.runner.job_script import JobScript
from runyard.runner.observing import build_observers
from runyard.runner.plan import Plan
from runyard.runner.train_options import TrainOptions
from runyard.runner.training_parts import TrainingParts
from runyard.runner.validated_model import training_inputs
from runyard.runner.validating import ValidationSet
from runyard.training.engine import Engine
from runyard.training.limits import Limits
from runyard.training.outputs import trace_outputs
from runyard.training.validation import set_name


def rehearse_training(plan: Plan, script: JobScript, *, report: CheckReport) -> Sequence[ModelToSave]:
    """Adds to the report what a training would do, and everything that would keep it from doing it.

    Returns:
        The models that would be saved; nothing where there would be none.
    """
    args = plan.train_args
    with report.part():
        refuse_destination(plan.paths.in_data(args.save_path))
    seed = args.seed if args.seed is not None else 0
    parts = TrainingParts(script, args=args, seed=seed, options=TrainOptions())
    rehearsal = _Rehearsal(plan, script, args, parts, report)
    model = batch = engine = None
    with report.part():
        model = parts.model()
    with report.part():
        batch = rehearsal.first_batch(parts.training_set(), part="train", what="train dataset")
    if model is not None and batch is not None:
        engine = rehearsal.step(model, batch=batch)
    if engine is not None and batch is not None:
        with report.part():
            rehearsal.observers(engine, dataset=batch.dataset)
    saved: Sequence[ModelToSave] = ()
    with report.part():
        saved = rehearsal.validation(model if engine is None else engine.model, engine=engine)
    return saved if engine is not None else ()


@dataclass(frozen=True)
class _Rehearsal:
    plan: Plan
    script: JobScript
    args: TrainArgs
    parts: TrainingParts
    report: CheckReport

    def first_batch(self, dataset: Any, *, part: str, what: str) -> FirstBatch:
        batch = first_batch(dataset, what=what)
        self.report.rows += tensor_rows(split_element(batch.element), part=part)
        return batch

    def step(self, model: Any, *, batch: FirstBatch) -> Engine | None:
        """One step, as a training makes it; None if it fails. Then each of its parts that fails by itself is told."""
        fits = False
        with self.report.part():
            self._outputs(model, batch=batch)
            model = starting_point(self.script, plan=self.plan, new=model, dataset=batch.dataset).model
            fits = True
        if not fits:
            return None
        try:
            return self._one_step(model, batch=batch)
        except RunyardError as problem:
            element = split_element(batch.dataset.element_spec)
            found = parts_to_blame(self.script, model, element=element, args=self.args)
            self.report.problems += found or [problem]
            return None

    def observers(self, engine: Engine, *, dataset: Any) -> None:
        """They are made, and told nothing: so they write nothing."""
        limits = Limits(epochs=self.args.epochs)
        build_observers(
            self.script,
            plan=self.plan,
            args=self.args,
            engine=engine,
            limits=limits,
            dataset=dataset,
            options=TrainOptions(),
        )

    def validation(self, model: Any, *, engine: Engine | None) -> Sequence[ModelToSave]:
        """One batch of each set; what would be saved. Without a model, the sets are read and shown."""
        validating = self.parts.validating(model)
        datasets = validating.data.datasets()
        batches: dict[str, FirstBatch] = {}
        for key, dataset in datasets.items():
            with self.report.part():
                validating.data.batches(dataset, key=key)
                part = f"val({key})" if key else "val"
                batches[key] = self.first_batch(dataset, part=part, what=f"{part} dataset")
        if model is None:
            return ()
        saved = validating.saved_models()
        sets: dict[str, ValidationSet] = {}
        for key, batch in batches.items():
            with self.report.part():
                sets[key] = validating.one_set(batch.dataset, saved=saved)
                with validating.explain(sets[key], what=set_name(key)):
                    self._validate(sets[key], batch=batch, key=key)
        if engine is not None and len(sets) == len(datasets):
            validation, remarks = validating.together(sets, engine=engine, batches={})
            self.report.remark(*remarks)
            with self.report.part():
                self.parts.refuse_unknown_monitor(engine=engine, validation=validation)
        return saved

    def _outputs(self, model: Any, *, batch: FirstBatch) -> None:
        inputs = training_inputs(self.args).apply(split_element(batch.element).inputs)
        with self.parts.refusing_misfits(model, inputs=inputs):
            outputs = trace_outputs(model, _specs(inputs))
        self.report.rows += output_rows(model, outputs, part="output")

    def _one_step(self, model: Any, *, batch: FirstBatch) -> Engine:
        engine = self.parts.engine(model, dataset=batch.dataset)
        self.report.remark(*engine.remarks)
        element = split_element(batch.dataset.element_spec)
        refused = refuse_failing_step(self.script, model, element=element, args=self.args)
        with refused, explained("training one batch"):
            engine.run(iter(batch.dataset), at_most=1)
            results = engine.results()
        rows = result_rows(results, losses=len(engine.sums.names))
        losses, metrics = [[row for row in rows if row.part == part] for part in ("loss", "metric")]
        self.report.rows += [*losses, *optimizer_rows(engine, args=self.args), *metrics]
        return engine

    def _validate(self, made: ValidationSet, *, batch: FirstBatch, key: str) -> None:
        part = f"val({key})" if key else "val"
        model = made.validated.model
        inputs = made.validated.inputs.apply(split_element(batch.element).inputs)
        self.report.rows += output_rows(model, trace_outputs(model, _specs(inputs)), part=f"{part} output")
        results = made.evaluation(what=set_name(key), batches=1)
        losses = len(results) - len(made.evaluation.specs)
        self.report.rows += result_rows(results, losses=losses, prefix="val_", suffix=f"({key})" if key else "")


def _specs(tensors: Any) -> Any:
    return tf.nest.map_structure(tf.type_spec_from_value, tensors)
