"""Variables that are changed as one vector get the very numbers that they get one by one."""

from collections.abc import Callable
from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module, optimizer_variables
from runyard.training import flat_rules
from tests.training.test_determinism import two_outputs
from tests.training.test_several_optimizers import by_layer
from tests.training.trainings import (
    COLUMNS,
    TARGET,
    Training,
    X,
    Y,
    rows,
    same_bits,
    small_model,
    training_of,
    weights_of,
)

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("adam", {}),
    ("adam", {"amsgrad": True}),
    ("AdamW", {"weight_decay": 0.1}),
    ("adamax", {}),
    ("Lion", {}),
    ("nadam", {}),
    ("sgd", {"momentum": 0.9}),
    ("sgd", {"momentum": 0.9, "nesterov": True}),
]
SCHEDULE = {"type": "exponential", "args": {"initial_learning_rate": 0.1, "decay_steps": 2, "decay_rate": 0.5}}

Train = Callable[..., Training]


@pytest.fixture
def train_alone(monkeypatch: pytest.MonkeyPatch) -> Train:
    """Trains with no room for two variables in one vector."""

    def run(*args: Any, **options: Any) -> Training:
        with monkeypatch.context() as patch:
            patch.setattr(flat_rules, "TOGETHER", 0)
            training = train(*args, **options)
        assert not any(flat.together for flat in training.engine.update.flat_groups)
        return training

    return run


def train(model: Any, dataset: Any = None, **options: Any) -> Training:
    training = training_of(model, rows(X, TARGET) if dataset is None else dataset, **{"losses": "mse", **options})
    training()
    return training


def state_of(training: Training) -> list[Any]:
    """Everything that a checkpoint holds of weights and optimizers."""
    engine = training.engine
    remembered = [variable for optimizer in engine.optimizers for variable in optimizer_variables(optimizer)]
    kept = [*remembered, *engine.update.own_variables]
    return [*weights_of(training.model), *(variable.numpy() for variable in kept)]


def operations_of(training: Training) -> int:
    """How many the largest function of the graph has: the step."""
    (concrete,) = training.engine.run._function._list_all_concrete_functions()
    return max(len(function.node_def) for function in concrete.graph.as_graph_def().library.function)


@pytest.mark.parametrize(("name", "arguments"), OPTIMIZERS)
def test_an_optimizer_gives_the_same_bits(
    name: str, arguments: dict[str, Any], keras: KerasVersion, train_alone: Train
) -> None:
    optimizer = {"type": name, "args": {"learning_rate": 0.02, **arguments}}
    alone = train_alone(small_model(keras, activation="linear"), optimizer=optimizer)
    together = train(small_model(keras, activation="linear"), optimizer=optimizer)
    assert together.engine.update.flat_groups[0].together == (0, 1, 2, 3)
    assert same_bits(state_of(together), state_of(alone))
    assert operations_of(together) < operations_of(alone)
    assert together.engine.run.traces == 1


@pytest.mark.parametrize(
    "setting",
    [
        {"optimizer": {"type": "adam", "args": {"learning_rate": SCHEDULE}}},
        {"gradient": {"accumulate_steps": 2}},
        {"gradient": {"global_clip_norm": 0.1}},
        {"mix_precision": True},
        {"term_on_nan": True},
        {"ema": {"momentum": 0.9}},
        {"jit_compile": True},
        {"optimizer": ["adam", {"type": "sgd", "args": {"momentum": 0.9}}], "groups": by_layer},
    ],
    ids=["schedule", "accumulation", "clipping", "loss_scale", "term_on_nan", "average", "compiled", "two_optimizers"],
)
def test_all_that_a_step_can_do_gives_the_same_bits(
    setting: dict[str, Any], train_alone: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flat_rules, "FEWEST", 2)
    alone, together = [way(small_model(3, activation="linear"), **setting) for way in (train_alone, train)]
    assert all(flat.together for flat in together.engine.update.flat_groups)
    assert same_bits(state_of(together), state_of(alone))


def test_tasks_whose_gradients_conflict(keras: KerasVersion, train_alone: Train) -> None:
    optimizer = {"type": "adam", "grad_process": "pcgrad"}
    alone, together = [
        way(two_outputs(keras, seed=3), rows(X, (Y, TARGET)), losses=["bce", "mse"], optimizer=optimizer)
        for way in (train_alone, train)
    ]
    assert together.engine.update.flat_groups[0].together
    assert same_bits(state_of(together), state_of(alone))


def test_it_does_not_matter_where_calls_are_cut(keras: KerasVersion) -> None:
    states = [
        state_of(train(small_model(keras, dropout=0.5), optimizer="adam", steps_per_call=steps))
        for steps in (1, 2, 100)
    ]
    assert same_bits(states[0], states[1])
    assert same_bits(states[0], states[2])


def test_a_run_that_stops_within_an_epoch(keras: KerasVersion, train_alone: Train) -> None:
    """What a checkpoint would hold there: the slots are the optimizer's own after every call."""
    alone, together = [way(small_model(keras), max_steps=5, steps_per_call=2) for way in (train_alone, train)]
    assert same_bits(state_of(together), state_of(alone))


def embedding_model(keras: KerasVersion) -> Any:
    """Of its variables, the table has sparse gradients, and one kernel is constrained."""
    package = keras_module(keras)
    package.utils.set_random_seed(3)
    layers = package.layers
    inputs = layers.Input((COLUMNS,), dtype="int32")
    hidden = layers.Flatten()(layers.Embedding(7, 2)(inputs))
    hidden = layers.Dense(5, activation="tanh", kernel_constraint="non_neg")(hidden)
    return package.Model(inputs, layers.Dense(1, name="score")(hidden))


def test_rows_of_embeddings_and_constraints_are_left_alone(keras: KerasVersion, train_alone: Train) -> None:
    ids = rows(abs(X * 3).astype("int32") % 7, TARGET)
    alone, together = [way(embedding_model(keras), ids) for way in (train_alone, train)]
    assert together.engine.update.flat_groups[0].together == (2, 3, 4)
    assert same_bits(state_of(together), state_of(alone))
    assert weights_of(together.model)[1].min() == 0.0


def normalised_model(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    package.utils.set_random_seed(3)
    layers = package.layers
    inputs = layers.Input((COLUMNS,))
    hidden = layers.SpectralNormalization(layers.Dense(5))(inputs)
    return package.Model(inputs, layers.Dense(1, name="score")(layers.Dense(3)(hidden)))


def test_a_weight_that_its_layer_changes_itself_is_left_alone(keras: KerasVersion, train_alone: Train) -> None:
    alone, together = [way(normalised_model(keras)) for way in (train_alone, train)]
    assert together.engine.update.flat_groups[0].together == (1, 2, 3, 4, 5)
    assert same_bits(state_of(together), state_of(alone))


def test_a_variable_without_a_gradient_is_left_alone(keras: KerasVersion, train_alone: Train) -> None:
    alone, together = [
        way(two_outputs(keras, seed=3), rows(X, (Y, TARGET)), losses={"a": "bce"}, optimizer="nadam")
        for way in (train_alone, train)
    ]
    assert len(together.engine.update.flat_groups[0].together) == len(together.model.trainable_variables) - 2
    assert same_bits(state_of(together), state_of(alone))


@pytest.mark.parametrize("optimizer", ["rmsprop", "sgd", {"type": "adam", "args": {"clipnorm": 0.1}}])
def test_other_optimizers_are_left_alone(optimizer: Any, keras: KerasVersion) -> None:
    assert train(small_model(keras), optimizer=optimizer).engine.update.flat_groups[0].together == ()
