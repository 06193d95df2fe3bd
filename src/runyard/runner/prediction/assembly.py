"""A prediction put together from a plan: script, model, data, forward pass."""

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.bridge.saving import known_input_spec
from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition
from runyard.data.shapes import summary
from runyard.data.tree import is_endless
from runyard.errors import DataError, ModelError
from runyard.predictions.encoders import encoder_for
from runyard.predictions.encoding import Encoder
from runyard.predictions.features import Features, features_of
from runyard.predictions.forward import ForwardPass
from runyard.runner.job_script import JobScript
from runyard.runner.mismatch import refuse_unfit
from runyard.runner.model_sources import ModelSource, load
from runyard.runner.plan import Plan
from runyard.runner.predict import predict_args
from runyard.runner.prediction.shard import Shard
from runyard.telemetry import say
from runyard.training.randomness import Purpose, seed_for

_KEPT: list[DataPosition] = []


@dataclass(frozen=True)
class Assembled:
    """A prediction that is ready to start.

    Args:
        batch_size: about how many rows a batch has.
        batches: how many there are, where that is known.
    """

    forward: ForwardPass
    encoder: Encoder
    data: DataPosition
    batch_size: int
    batches: int | None


def assemble(script: JobScript, *, plan: Plan, source: ModelSource, shard: Shard | None, seed: int) -> Assembled:
    """Loads the model, makes the dataset, and traces one through the other. Nothing is read yet.

    Raises:
        RunyardError: if something does not fit.
    """
    loaded = load(source, script=script, purpose="predict")
    if loaded is None:
        raise ModelError(f"awf_load_model_fn returned None for {source.path}, so there is no model to predict with")
    say(f"Predicting with {loaded.name}: {loaded.path}.")
    seed_for(seed, purpose=Purpose.PREDICT_DATA)
    dataset, batch_size = _batches(script, plan=plan, shard=shard)
    args = predict_args(plan)
    features = features_of(dataset.element_spec, args=args)
    forward = forward_pass(loaded.model, features=features, element=dataset.element_spec, script=script)
    data = DataPosition(dataset, say=say, what="dataset to predict", start_over="without --resume")
    if data.runs_python:
        # An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`.
        _KEPT.append(data)
    count = int(dataset.cardinality())
    return Assembled(
        forward, encoder_for(forward.columns, args=args), data, batch_size, batches=None if count < 0 else count
    )


def _batches(script: JobScript, *, plan: Plan, shard: Shard | None) -> tuple[Any, int]:
    """The batches to predict, and about how many rows each has."""
    made = script.predict_dataset() if shard is None else _shard_of(script, shard=shard)
    dataset = made.named[""]
    if is_endless(dataset):
        raise DataError("the dataset to predict is endless, so it would never be done", hint="leave out repeat()")
    if shard is not None and not script.shards_predict_dataset:
        dataset = dataset.shard(shard.count, shard.index)
    train_args = plan.job.job_detail.train_args
    prepared = prepare(
        dataset,
        batch_size=made.batch_size,
        already_batched=made.batched,
        config=train_args.input if train_args else Input(),
    )
    say(f"Data to predict: {prepared.done}.")
    return prepared.dataset, made.batch_size


def _shard_of(script: JobScript, *, shard: Shard) -> Any:
    return script.predict_dataset(num_shards=shard.count, shard_index=shard.index)


def forward_pass(model: Any, *, features: Features, element: Any, script: JobScript) -> ForwardPass:
    """The model traced with what the dataset gives.

    Raises:
        DataError: if they do not fit.
    """
    inputs = features.for_model(features.inputs(element))
    with refuse_unfit(
        "the dataset to predict does not fit the model",
        came=inputs,
        folder=script.folder,
        expected=_expected(model),
    ):
        return ForwardPass(model, features=features, element=element)


def _expected(model: Any) -> str | None:
    """What the model says of its inputs, if it does."""
    version = keras_version_of(model)
    spec = known_input_spec(model, keras=version) if version is not None else None
    named = {leaf.name: leaf for leaf in tf.nest.flatten(spec) if getattr(leaf, "name", None)}
    return summary(named) or None
