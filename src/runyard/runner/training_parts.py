"""The parts of a training, each made by itself: `assemble` makes all of them, `check` tries them one by one."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from runyard.bridge import set_precision
from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.data.pipeline import Prepared, prepare
from runyard.data.position import DataPosition
from runyard.data.positions import DataPositions
from runyard.data.positions_elsewhere import PositionElsewhere, PositionsElsewhere
from runyard.data.sharding import Shard
from runyard.data.steps import ends_in_batches
from runyard.runner.endless import refuse_endless
from runyard.runner.job_script import JobScript, load_job_script
from runyard.runner.mismatch import expected_inputs, refuse_batches_of_batches, refuse_single_rows, refuse_unfit
from runyard.runner.plan import Plan
from runyard.runner.starting import configure_tensorflow
from runyard.runner.train_options import TrainOptions
from runyard.runner.validated_model import training_inputs
from runyard.runner.validating import Validating, build_validation
from runyard.runner.validation_data import ValidationData
from runyard.script.contract import TRAIN_DATASET
from runyard.telemetry import say
from runyard.training.coordinator import Coordinator
from runyard.training.division import UNDIVIDED, Division
from runyard.training.engine import Engine
from runyard.training.engine_building import UserFactories, build_engine
from runyard.training.randomness import Purpose, Randomness, seed_for
from runyard.training.stopping import refuse_unknown_monitor
from runyard.training.validation import Validation
from runyard.training.workers import ALONE, Workers


def load_for_training(plan: Plan, *, seed: int) -> JobScript:
    """The script, loaded in a process that is set up as the training wants it."""
    args = plan.train_args
    configure_tensorflow(intra_op=args.intra_op_paral, inter_op=args.inter_op_paral, verbose=args.verbose)
    set_precision(half=args.mix_precision)
    seed_for(seed, purpose=Purpose.MODEL)
    return load_job_script(plan)


class TrainingParts:
    """Makes the parts in this order: model, training set, engine, validation. Each has randomness of its own."""

    def __init__(
        self,
        script: JobScript,
        *,
        args: TrainArgs,
        seed: int,
        options: TrainOptions,
        workers: Workers = ALONE,
        division: Division = UNDIVIDED,
    ) -> None:
        self._workers = workers
        self._division = division
        self._coordinator = workers if isinstance(workers, Coordinator) else None
        self._script = script
        self._args = args
        self._seed = seed
        self._options = options
        self._after_model: Randomness | None = None
        self._may_be_batched_twice = False
        self._batched_by_callback = False

    def model(self) -> Any:
        """The model of `awf_create_model_fn`. Its weights follow from the seed."""
        seed_for(self._seed, purpose=Purpose.MODEL)
        with self.placing_variables():
            model = self._script.create_model()
        self._after_model = Randomness.now()
        return model

    def training_set(self) -> Any:
        """The training set in batches: the first of the shards that this process reads.

        Raises:
            DataError: if it has no end, and the job names none.
        """
        prepared = self._prepared(self._division.owned_by(self._workers)[0])
        say(f"Training data: {prepared.done}.")
        if self._options.overfit_batches is not None:
            return prepared.dataset.take(self._options.overfit_batches).cache()
        refuse_endless(prepared.dataset, samples=self._args.num_samples, key="num_samples", what="training set")
        return prepared.dataset

    def positions(self, dataset: Any) -> DataPositions | PositionsElsewhere:
        """Where this process is in its shards of the training set; with parameter servers, where each worker is.

        Args:
            dataset: the training set, just made.
        """
        if self._coordinator is not None:
            return self._positions_elsewhere(dataset, devices=self._coordinator.workers)
        first = DataPosition(dataset, say=say)
        others = self._division.owned_by(self._workers)[1:]
        return DataPositions([first, *(DataPosition(self._prepared(shard).dataset, say=say) for shard in others)])

    def _positions_elsewhere(self, dataset: Any, *, devices: Sequence[str]) -> PositionsElsewhere:
        count = len(devices)
        found: list[PositionElsewhere] = []
        for index, device in enumerate(devices):
            part = dataset if count == 1 else self._prepared(Shard(index, count)).dataset
            found.append(PositionElsewhere(part, device=device, say=say))
        return PositionsElsewhere(found)

    def placing_variables(self) -> AbstractContextManager[None]:
        """The context in which everything is made that a training changes."""
        return nullcontext() if self._coordinator is None else self._coordinator.placing_variables()

    def _prepared(self, shard: Shard) -> Prepared:
        seed_for(self._seed, purpose=Purpose.TRAINING_DATA)
        made = self._script.train_dataset(shard, replicas=self._division.replicas)
        self._batched_by_callback = made.batched
        self._may_be_batched_twice = not made.batched and ends_in_batches(made.named[""])
        return prepare(
            made.named[""], batch_size=made.batch_size, already_batched=made.batched, config=self._args.input
        )

    def engine(self, model: Any, *, dataset: Any) -> Engine:
        """Everything that trains. Weights that a model makes only in its first call follow from the seed, too."""
        assert self._after_model is not None, "the model is made first"
        self._after_model.bring_back()
        element = split_element(dataset.element_spec)
        factories = UserFactories(
            losses=self._script.loss_factory(model),
            metrics=self._script.metric_factory(model),
            groups=self._script.variable_groups,
        )
        inputs = training_inputs(self._args)
        with self.refusing_misfits(model, inputs=inputs.apply(element.inputs)), self.placing_variables():
            return build_engine(
                model,
                args=self._args,
                element=element,
                inputs=inputs,
                factories=factories,
                seed=self._seed,
                workers=self._workers,
                division=self._division,
            )

    def refusing_misfits(self, model: Any, *, inputs: Any) -> AbstractContextManager[None]:
        """The context in which a model is called with the inputs of the training set for the first time."""
        if self._may_be_batched_twice:
            refuse_batches_of_batches(model, inputs=inputs, callback=TRAIN_DATASET.name)
        if self._batched_by_callback:
            refuse_single_rows(model, inputs=inputs, callback=TRAIN_DATASET.name)
        message = f"the training set does not fit the model {model.name!r}"
        folder = self._script.folder
        choice = training_inputs(self._args)
        return refuse_unfit(message, came=inputs, folder=folder, expected=expected_inputs(model), choice=choice)

    def validating(self, model: Any) -> Validating:
        """Makes the validation, set by set."""
        data = ValidationData(self._script, self._args, self._seed, self._workers, self._division)
        return Validating(self._script, self._args, model, data)

    def validation(self, model: Any, *, engine: Engine) -> tuple[Validation, Sequence[str]]:
        """The whole validation, and remarks. A training on a few batches has none."""
        validating = self.validating(model)
        if self._options.overfit_batches is not None:
            return Validation({}), ()
        with self.placing_variables():
            return build_validation(validating, engine=engine, at_most=1 if self._options.fast_dev_run else None)

    def refuse_unknown_monitor(self, *, engine: Engine, validation: Validation) -> None:
        stopping = self._args.early_stopping
        if stopping is not None and not self._options.limited_data:
            refuse_unknown_monitor(stopping.monitor, names=[*engine.results_names(), *validation.names])
