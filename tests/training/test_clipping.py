"""Clipping is that of Keras's own optimizers."""

from typing import Any

import pytest
import tensorflow as tf

from runyard.config.train_args import Gradient
from runyard.training.clipping import clip
from tests.training.parity import assert_trains_as_fit
from tests.training.trainings import TARGET, X, rows, small_model


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("clip_norm", "clipnorm"), ("clip_value", "clipvalue"), ("global_clip_norm", "global_clipnorm")],
)
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_it_is_clipped_as_in_keras(ours: str, theirs: str, optimizer: str) -> None:
    classes = {"sgd": tf.keras.optimizers.SGD, "adam": tf.keras.optimizers.Adam}
    assert_trains_as_fit(
        lambda: small_model(activation="linear"),
        rows(X, TARGET),
        compiled={"optimizer": classes[optimizer](0.1, **{theirs: 0.05}), "loss": "mse"},
        optimizer={"type": optimizer, "args": {"learning_rate": 0.1}},
        gradient={ours: 0.05},
        losses="mse",
    )


@pytest.mark.parametrize("kind", ["clip_norm", "clip_value", "global_clip_norm"])
def test_missing_gradients_and_rows_of_embeddings_are_kept(kind: str) -> None:
    some_rows = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([5, 2]))
    none, clipped, small = clip([None, some_rows, tf.constant([0.1])], config=Gradient.model_validate({kind: 1.0}))
    assert none is None
    assert isinstance(clipped, tf.IndexedSlices)
    assert float(tf.reduce_max(clipped.values)) < 3.0
    assert small.numpy() == pytest.approx([0.1], abs=0.09)


def test_nothing_is_clipped_unless_asked() -> None:
    gradients: list[Any] = [tf.constant([100.0]), None]
    assert clip(gradients, config=Gradient()) == gradients
