"""Small trainings for tests: a model, a dataset and what a job file would say under `train_args`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module, tensorflow_variable
from runyard.cluster.signals import StopSignals
from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.data.inputs import InputChoice
from runyard.data.position import DataPosition
from runyard.data.positions import DataPositions
from runyard.training.division import Division
from runyard.training.engine import Engine
from runyard.training.engine_building import UserFactories, build_engine
from runyard.training.evaluating import Evaluation
from runyard.training.evaluation_plan import EvaluationPlan, build_evaluation
from runyard.training.fit import Fit
from runyard.training.limits import Limits
from runyard.training.observers.average import AverageObserver
from runyard.training.observers.base import Observer
from runyard.training.observers.early_stopping import EarlyStoppingObserver
from runyard.training.randomness import Purpose, seed_for
from runyard.training.run_state import Outcome
from runyard.training.validation import Validation
from runyard.training.workers import ALONE, Workers
from tests.training.forms import no_factory

ROWS, COLUMNS, BATCH = 20, 4, 8
EPOCHS = 3

RANDOM = np.random.default_rng(5)
X = RANDOM.standard_normal((ROWS, COLUMNS)).astype(np.float32)
Y = (X[:, 0] + 0.5 * RANDOM.standard_normal(ROWS) > 0).astype(np.float32)
TARGET = (X @ [1.0, -2.0, 0.5, 0.0]).astype(np.float32)
WEIGHTS = RANDOM.uniform(0.2, 2.0, ROWS).astype(np.float32)


def rows(*parts: Any, batch: int = BATCH) -> Any:
    """A dataset whose last batch is smaller."""
    return tf.data.Dataset.from_tensor_slices(parts if len(parts) > 1 else parts[0]).batch(batch)


def small_model(keras: KerasVersion = 2, *, seed: int = 3, dropout: float = 0.0, activation: str = "sigmoid") -> Any:
    """A model with one output. The same seed gives the same weights, and the same masks."""
    seed_for(seed, purpose=Purpose.MODEL)
    layers = keras_module(keras).layers
    inputs = layers.Input((COLUMNS,))
    hidden = layers.Dense(3, activation="tanh")(inputs)
    if dropout:
        hidden = layers.BatchNormalization()(hidden)
        hidden = layers.Dropout(dropout)(hidden)
    return keras_module(keras).Model(inputs, layers.Dense(1, activation=activation, name="score")(hidden))


@dataclass(frozen=True)
class Training:
    engine: Engine
    fit: Fit
    evaluations: Mapping[str, Evaluation]

    @property
    def model(self) -> Any:
        return self.engine.model

    def __call__(self) -> Outcome:
        return self.fit(None)


def training_of(
    model: Any,
    dataset: Any,
    *,
    validation: Any = None,
    observers: Sequence[Observer] = (),
    groups: Callable[[Any], Sequence[Sequence[Any]]] | None = None,
    steps_per_call: int | None = None,
    steps_per_epoch: int | None = None,
    max_steps: int | None = None,
    seed: int = 3,
    workers: Workers = ALONE,
    division: Division | None = None,
    data: Any = None,
    **written: Any,
) -> Training:
    """A training that is ready to start, put together as the runner does it.

    Args:
        dataset: or one for each shard of this process.
    """
    datasets = dataset if isinstance(dataset, list) else [dataset]
    args = TrainArgs.model_validate({"losses": "bce", "epochs": EPOCHS, **written})
    engine = build_engine(
        model,
        args=args,
        element=split_element(datasets[0].element_spec),
        inputs=InputChoice(),
        factories=UserFactories(no_factory, no_factory, groups or _no_groups),
        seed=seed,
        workers=workers,
        division=division,
    )
    engine.own.begin()
    plan = EvaluationPlan(args.losses, args.metrics, args.weighted_metrics, no_factory, no_factory)
    sets = validation if isinstance(validation, dict) else {} if validation is None else {"": validation}
    evaluations = {
        key: build_evaluation(
            model, dataset=each, inputs=InputChoice(), plan=plan, workers=workers, replicas=engine.division.replicas
        )[0]
        for key, each in sets.items()
    }
    fit = Fit(
        engine,
        data=DataPositions([DataPosition(each, say=_silent) for each in datasets]) if data is None else data,
        validation=Validation(evaluations, average=engine.update.average),
        observers=[*_weight_observers(engine, args), *observers],
        limits=Limits(args.epochs, steps_per_epoch, max_steps, steps_per_call),
        signals=StopSignals(),
    )
    return Training(engine, fit, evaluations)


def trained(model: Any, dataset: Any, **options: Any) -> list[Any]:
    """The model's weights after the training."""
    training_of(model, dataset, **options)()
    return weights_of(model)


def weights_of(model: Any) -> list[Any]:
    return [np.asarray(weight) for weight in model.get_weights()]


def same_bits(first: Sequence[Any], second: Sequence[Any]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(one.tobytes() == other.tobytes() for one, other in pairs)


def apart(first: Sequence[Any], second: Sequence[Any]) -> float:
    """The largest difference between two lists of weights."""
    return max(float(np.max(np.abs(one - other))) for one, other in zip(first, second, strict=True))


def _weight_observers(engine: Engine, args: TrainArgs) -> list[Observer]:
    average = engine.update.average
    found: list[Observer] = [] if average is None else [AverageObserver(average)]
    if args.early_stopping is not None:
        weights = [tensorflow_variable(variable) for variable in engine.model.weights]
        validated = average.instead_of(weights) if average else weights
        found.append(EarlyStoppingObserver(args.early_stopping, weights=weights, validated=validated))
    return found


def _no_groups(model: Any) -> Sequence[Sequence[Any]]:
    raise AssertionError("one optimizer needs no groups")


def _silent(line: str) -> None:
    pass
