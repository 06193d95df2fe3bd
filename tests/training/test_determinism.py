"""The same seed gives the same weights to the bit, wherever calls are cut. Nothing is traced twice."""

from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.training.randomness import Purpose, seed_for
from tests.training.trainings import BATCH, COLUMNS, ROWS, TARGET, X, Y, same_bits, small_model, training_of, weights_of
from tests.training.trainings import rows as plain_rows

SETTINGS: dict[str, dict[str, Any]] = {
    "adam": {},
    "accumulation": {"gradient": {"accumulate_steps": 2}},
    "pcgrad": {"optimizer": {"type": "adam", "grad_process": "pcgrad"}},
    "several optimizers": {"optimizer": ["adam", "sgd"]},
    "average": {"ema": {"momentum": 0.9}},
    "clipping and a schedule": {
        "gradient": {"global_clip_norm": 0.1},
        "optimizer": {
            "type": "adam",
            "args": {"learning_rate": {"type": "cosine", "args": {"initial_learning_rate": 0.1, "decay_steps": 7}}},
        },
    },
}


def two_outputs(keras: KerasVersion, *, seed: int) -> Any:
    seed_for(seed, purpose=Purpose.MODEL)
    package = keras_module(keras)
    layers = package.layers
    inputs = package.Input((COLUMNS,))
    hidden = layers.BatchNormalization()(layers.Dense(4, kernel_regularizer="l2")(inputs))
    hidden = layers.Dropout(0.3)(hidden)
    return package.Model(inputs, [layers.Dense(1, "sigmoid", name="a")(hidden), layers.Dense(1, name="b")(hidden)])


def halves(model: Any) -> list[list[Any]]:
    variables = list(model.trainable_variables)
    return [variables[:2], variables[2:]]


def weights_after(setting: str, *, keras: KerasVersion = 2, seed: int = 3, steps_per_call: int | None = None) -> Any:
    model = two_outputs(keras, seed=seed)
    seed_for(seed, purpose=Purpose.TRAINING_DATA)
    dataset = plain_rows(X, (Y, TARGET), batch=1).unbatch().shuffle(ROWS).batch(BATCH)
    training = training_of(
        model,
        dataset,
        validation=plain_rows(X[:10], (Y[:10], TARGET[:10])),
        groups=halves,
        steps_per_call=steps_per_call,
        seed=seed,
        losses=["bce", "mse"],
        metrics=[["auc"], ["mae"]],
        **SETTINGS[setting],
    )
    results = training().results
    assert (training.engine.run.traces, training.engine.run.step_traces) == (1, 1)
    return weights_of(model), results


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_cut_of_calls_does_not_matter(keras: KerasVersion, setting: str) -> None:
    expected, results = weights_after(setting, keras=keras, steps_per_call=1)
    for steps in (7, 100, None) if setting == "adam" else (7,):
        weights, others = weights_after(setting, keras=keras, steps_per_call=steps)
        assert same_bits(weights, expected)
        assert others == results


def test_a_run_repeats_itself(keras: KerasVersion) -> None:
    first, again = weights_after("adam", keras=keras), weights_after("adam", keras=keras)
    assert same_bits(first[0], again[0]) and first[1] == again[1]


def test_another_seed_gives_other_weights(keras: KerasVersion) -> None:
    assert not same_bits(weights_after("adam", keras=keras, seed=3)[0], weights_after("adam", keras=keras, seed=4)[0])


def test_a_training_is_traced_once_with_all_its_validations(keras: KerasVersion) -> None:
    sets = {"0": plain_rows(X, Y), "small": plain_rows(X[:3], Y[:3])}
    training = training_of(small_model(keras, dropout=0.2), plain_rows(X, Y), validation=sets, metrics=["auc"])
    training()
    assert (training.engine.run.traces, training.engine.run.step_traces) == (1, 1)
    assert {key: evaluation.traces for key, evaluation in training.evaluations.items()} == {"0": 1, "small": 1}
