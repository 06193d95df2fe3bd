"""The training loop against Keras `fit` and against a loop written by hand for this very model."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.pairs import Comparison, compare
from runyard.bridge import keras_module, start_tensorflow

tf = start_tensorflow()

from runyard.cluster.signals import StopSignals  # noqa: E402
from runyard.config.train_args import TrainArgs  # noqa: E402
from runyard.data.elements import split_element  # noqa: E402
from runyard.data.inputs import InputChoice  # noqa: E402
from runyard.data.pipeline import prepare  # noqa: E402
from runyard.data.position import DataPosition  # noqa: E402
from runyard.training.engine_building import UserFactories, build_engine  # noqa: E402
from runyard.training.fit import Fit  # noqa: E402
from runyard.training.limits import Limits  # noqa: E402
from runyard.training.validation import Validation  # noqa: E402
from runyard.training.workers import ALONE, Workers  # noqa: E402

FEATURES = 128
STEPS = 1500


def data(batch: int) -> Any:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((batch * STEPS, FEATURES)).astype("float32")
    y = (x[:, :1] + 0.5 * rng.standard_normal((len(x), 1)) > 0).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(batch).prefetch(tf.data.AUTOTUNE)


def model(keras: Any) -> Any:
    keras.utils.set_random_seed(1)
    inputs = keras.Input((FEATURES,))
    x = inputs
    for size in (64, 32, 16):
        x = keras.layers.Dense(size, activation="relu")(x)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(x))


def weights(net: Any) -> list[Any]:
    return [np.asarray(value) for value in net.get_weights()]


class Ours:
    """An epoch of Runyard's loop per call, on the dataset of a callback.

    Args:
        batch_size: of a dataset that is not batched yet.
        as_it_is: leave the dataset alone.
        workers: that train together; the dataset is this one's part.
        net: makes another model.
    """

    def __init__(
        self,
        keras: Any,
        dataset: Any,
        *,
        batch_size: int | None = None,
        as_it_is: bool = False,
        workers: Workers = ALONE,
        net: Callable[[Any], Any] = model,
    ) -> None:
        self.net = net(keras)
        args = TrainArgs.model_validate({"losses": "bce", "metrics": "auc"})
        if not as_it_is:
            batched = batch_size is None
            dataset = prepare(dataset, batch_size=batch_size or 0, already_batched=batched, config=args.input).dataset
        engine = build_engine(
            self.net,
            args=args,
            element=split_element(dataset.element_spec),
            inputs=InputChoice(),
            factories=UserFactories(_none, _none, _none),
            seed=1,
            workers=workers,
        )
        self._epochs = 0
        self._fit = Fit(
            engine,
            data=DataPosition(dataset, say=print),
            validation=Validation({}),
            observers=[],
            limits=Limits(epochs=0),
            signals=StopSignals(),
        )

    def __call__(self) -> float:
        self._epochs += 1
        self._fit.run.limits = Limits(epochs=self._epochs)
        before = self._fit.run.step
        outcome = self._fit(None)
        self.auc = outcome.results["auc"]
        return float(self._fit.run.step - before)


def _none(_: Any) -> Any:
    raise AssertionError("this benchmark has no user script")


class KerasFit:
    """An epoch of Keras `fit` per call."""

    def __init__(self, keras: Any, dataset: Any) -> None:
        self.net = model(keras)
        self.net.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
        self._dataset = dataset

    def __call__(self) -> float:
        history = self.net.fit(self._dataset, verbose=0)
        self.auc = history.history["auc"][-1]
        return float(STEPS)


class LoopByHand:
    """An epoch of a loop in the graph per call. Subclasses make the three of its parts."""

    _dataset: Any
    _epoch: Callable[[Any], Any]
    _auc: Any

    def __call__(self) -> float:
        self._auc.reset_state()
        steps = float(self._epoch(iter(self._dataset)))
        self.auc = float(self._auc.result())
        return steps


class ByHand(LoopByHand):
    """An epoch of a loop in the graph, as an expert would write it for this model: Keras's loss, AUC and Adam."""

    def __init__(self, keras: Any, dataset: Any) -> None:
        self.net = net = model(keras)
        self._dataset = dataset
        optimizer = keras.optimizers.Adam()
        optimizer.build(net.trainable_variables)
        loss_function, self._auc = keras.losses.BinaryCrossentropy(), keras.metrics.AUC()
        mean = keras.metrics.Mean()

        def step(x: Any, y: Any) -> None:
            with tf.GradientTape() as tape:
                outputs = net(x, training=True)
                loss = loss_function(y, outputs)
            variables = net.trainable_variables
            watched = [getattr(variable, "_value", variable) for variable in variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, watched), variables, strict=True))
            self._auc.update_state(y, outputs)
            mean.update_state(loss)

        @tf.function(autograph=False)
        def epoch(iterator: Any) -> Any:
            def body(done: Any, _: Any) -> Any:
                batch = iterator.get_next_as_optional()

                def train() -> Any:
                    step(*batch.get_value())
                    return done + 1, tf.constant(True)

                return tf.cond(batch.has_value(), train, lambda: (done, tf.constant(False)))

            return tf.while_loop(lambda _, more: more, body, [tf.constant(0), tf.constant(True)])[0]

        self._epoch = epoch


def comparisons() -> Iterator[Comparison]:
    for keras, batch, other, target in (
        (2, 32, KerasFit, 3.0),
        (2, 128, KerasFit, 2.7),
        (3, 32, KerasFit, 5.0),
        (3, 128, KerasFit, 3.0),
        (2, 32, ByHand, 0.97),
        (2, 128, ByHand, 0.97),
        (3, 32, ByHand, 0.97),
    ):
        yield _one(keras, batch, other, target)


def _one(version: Any, batch: int, other: Callable[[Any, Any], Any], target: float) -> Comparison:
    keras, dataset = keras_module(version), data(batch)
    ours, theirs = Ours(keras, dataset), other(keras, dataset)
    name = f"MLP, Keras {version}, batch {batch}: Runyard against {other.__name__}"
    found = compare(name, ours, theirs, target=target, unit="steps/s")
    worst = max(float(np.abs(a - b).max()) for a, b in zip(weights(ours.net), weights(theirs.net), strict=True))
    if worst > 1e-3 or abs(ours.auc - theirs.auc) > 1e-4:
        sys.exit(f"{name}: the two sides differ, weights by {worst:.1e}, auc {ours.auc} and {theirs.auc}")
    return found
