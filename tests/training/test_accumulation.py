"""Several batches that make one step."""

from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from tests.training.trainings import ROWS, X, Y, apart, rows, small_model, trained, training_of, weights_of

FTRL = {"type": "ftrl", "args": {"learning_rate": 0.1}}


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "ftrl"])
def test_small_batches_are_as_good_as_a_large_one(keras: KerasVersion, optimizer: str) -> None:
    large = trained(small_model(keras), rows(X, Y, batch=ROWS), optimizer=optimizer)
    small = trained(
        small_model(keras), rows(X, Y, batch=5), optimizer=optimizer, gradient={"accumulate_steps": ROWS // 5}
    )
    assert apart(large, small) < 1e-6


def test_a_short_batch_in_a_group_counts_for_its_rows_only(keras: KerasVersion) -> None:
    """Batches of 8, 8 and 4 rows."""
    large = trained(small_model(keras), rows(X, Y, batch=ROWS), optimizer="sgd")
    small = trained(small_model(keras), rows(X, Y, batch=8), optimizer="sgd", gradient={"accumulate_steps": 3})
    assert apart(large, small) < 1e-6


def test_the_last_smaller_group_of_an_epoch_counts(keras: KerasVersion) -> None:
    """Three batches in groups of two: the third is a step of its own."""
    training = training_of(
        small_model(keras), rows(X[:15], Y[:15], batch=5), optimizer="sgd", gradient={"accumulate_steps": 2}, epochs=1
    )
    training()
    assert int(training.engine.optimizers[0].iterations) == 2
    by_hand = small_model(keras)
    for part in (slice(0, 10), slice(10, 15)):
        trained(by_hand, rows(X[part], Y[part], batch=15), optimizer="sgd", epochs=1)
    assert apart(weights_of(training.model), weights_of(by_hand)) < 1e-6


def test_the_learning_rate_counts_steps_and_not_batches() -> None:
    schedule = {"type": "piecewise", "args": {"boundaries": [1], "values": [0.5, 0.25]}}
    optimizer = {"type": "sgd", "args": {"learning_rate": schedule}}
    large = trained(small_model(), rows(X, Y, batch=ROWS), optimizer=optimizer)
    small = trained(small_model(), rows(X, Y, batch=5), optimizer=optimizer, gradient={"accumulate_steps": 4})
    assert apart(large, small) < 1e-6


@pytest.mark.parametrize(
    "setting", [{"gradient": {"accumulate_steps": 2}}, {"optimizer": {**FTRL, "grad_process": "pcgrad"}}]
)
def test_variables_without_a_gradient_are_left_alone(keras: KerasVersion, setting: dict[str, Any]) -> None:
    """A gradient of zero is not the same: it makes some optimizers change a variable."""
    package = keras_module(keras)

    class Net(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.idle = package.layers.Dense(1, name="idle")
            self.score = package.layers.Dense(1, activation="sigmoid", name="score")

        def call(self, x: Any) -> Any:
            self.idle(x)
            return self.score(x), self.score(x * 2.0)

    model = Net()
    model(X)
    before = model.idle.kernel.numpy()
    trained(model, rows(X, (Y, Y)), **{"optimizer": FTRL, **setting})
    assert (model.idle.kernel.numpy() == before).all()


def test_rows_of_an_embedding_are_added_up() -> None:
    ids = tf.constant([[place % 5] for place in range(ROWS)])

    def make() -> Any:
        tf.keras.utils.set_random_seed(1)
        layers = tf.keras.layers
        return tf.keras.Sequential(
            [layers.Embedding(5, 2, input_length=1), layers.Flatten(), layers.Dense(1, "sigmoid")]
        )

    large = trained(make(), rows(ids, Y, batch=ROWS))
    assert apart(large, trained(make(), rows(ids, Y, batch=5), gradient={"accumulate_steps": 4})) < 1e-6
