"""One of the processes of `bench.workers`: pinned to a core, it runs both sides of each comparison in turns.

`python -m bench.worker_side FILE ROUNDS`, as the worker that TF_CONFIG names; worker 0 writes what it measured.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.pinned import pinned_place, write_and_leave
from bench.training import FEATURES, LoopByHand, Ours, model, weights
from runyard.bridge import keras_module
from runyard.data.sharding import Shard, ShardPolicy
from runyard.training.together import Together

import tensorflow as tf  # isort: skip

CONVOLUTION_STEPS = 30
Side = Callable[[], float]
Sides = dict[str, Side]


def table(rows: int) -> Any:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, FEATURES)).astype("float32")
    return x, (x[:, :1] + 0.5 * rng.standard_normal((rows, 1)) > 0).astype("float32")


def convolutions(keras: Any) -> Any:
    """Much to compute for every number that is exchanged."""
    keras.utils.set_random_seed(1)
    inputs = keras.Input((FEATURES,))
    x = keras.layers.Reshape((16, 8, 1))(inputs)
    for size in (32, 64, 64):
        x = keras.layers.Conv2D(size, 3, padding="same", activation="relu")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(x))


class ByHand(LoopByHand):
    """An epoch of a loop in the graph under the strategy, with the guarantees of ours.

    Rows and gradients are summed over the workers in one call and divided, so that uneven shards and a last batch count
    as they should; data end when they have ended everywhere; AUC and loss are those of all rows.
    """

    def __init__(self, keras: Any, dataset: Any, *, strategy: Any) -> None:
        self._dataset = dataset
        with strategy.scope():
            self.net = net = model(keras)
            optimizer = keras.optimizers.Adam()
            optimizer.build(net.trainable_variables)
            self._auc, mean = keras.metrics.AUC(), keras.metrics.Mean()
        loss_function = keras.losses.BinaryCrossentropy(reduction="none")

        def look(batch: Any) -> list[Any]:
            x, y = batch.get_value()
            with tf.GradientTape() as tape:
                outputs = net(x, training=True)
                losses = loss_function(y, outputs)
                total = tf.reduce_sum(losses)
            self._auc.update_state(y, outputs)
            mean.update_state(losses)
            return [*tape.gradient(total, net.trainable_variables), tf.cast(tf.shape(x)[0], tf.float32)]

        def nothing() -> list[Any]:
            return [*(tf.zeros(variable.shape) for variable in net.trainable_variables), tf.constant(0.0)]

        def gradients(batch: Any) -> Any:
            mine = tf.cond(batch.has_value(), lambda: look(batch), nothing)
            context: Any = tf.distribute.get_replica_context()
            return context.all_reduce(tf.distribute.ReduceOp.SUM, mine)

        def learn(summed: Any) -> None:
            means = [gradient / summed[-1] for gradient in summed[:-1]]
            optimizer.apply_gradients(zip(means, net.trainable_variables, strict=True), skip_gradients_aggregation=True)

        @tf.function(autograph=False)
        def epoch(iterator: Any) -> Any:
            def body(done: Any, _: Any) -> Any:
                batch = iterator.get_next_as_optional()
                summed = strategy.run(lambda: gradients(batch))

                def train() -> Any:
                    strategy.run(learn, args=(summed,))
                    return done + 1

                more = summed[-1] > 0
                return tf.cond(more, train, lambda: done), more

            return tf.while_loop(lambda _, more: more, body, [tf.constant(0), tf.constant(True)])[0]

        self._epoch = epoch


class KerasFit:
    """An epoch of Keras `fit` under the strategy."""

    def __init__(self, keras: Any, dataset: Any, *, strategy: Any) -> None:
        self._steps = len(dataset)
        with strategy.scope():
            self.net = model(keras)
            self.net.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
        self._dataset = dataset.with_options(options)

    def __call__(self) -> float:
        history = self.net.fit(self._dataset, verbose=0)
        self.auc = history.history["auc"][-1]
        return float(self._steps)


def mlp(workers: Together, *, batch: int, steps: int, other: Any) -> tuple[Sides, Callable[[], float]]:
    """Both sides, and how much their weights differ."""
    keras, size = keras_module(2), workers.size
    rows = tf.data.Dataset.from_tensor_slices(table(steps * batch * size))
    mine = Shard(workers.index, size).of(rows.batch(batch), policy=ShardPolicy.DATA).prefetch(2)
    ours = Ours(keras, mine, workers=workers)
    theirs = other(keras, mine if other is ByHand else rows.batch(batch * size), strategy=workers._strategy)

    def difference() -> float:
        pairs = zip(weights(ours.net), weights(theirs.net), strict=True)
        return max([abs(ours.auc - theirs.auc), *(float(np.abs(a - b).max()) for a, b in pairs)])

    return {"ours": ours, "theirs": theirs}, difference


def compute_bound(workers: Together, *, batch: int) -> tuple[Sides, Callable[[], float]]:
    """All workers together, each with a part of its own, against one of them with that part."""
    keras = keras_module(2)
    part = tf.data.Dataset.from_tensor_slices(table(CONVOLUTION_STEPS * batch)).batch(batch).prefetch(2)
    together = Ours(keras, part, workers=workers, net=convolutions)
    alone = Ours(keras, part, net=convolutions) if workers.index == 0 else None

    def one() -> float:
        return workers.size * alone() if alone is not None else 0.0

    def all_of_them() -> float:
        return workers.size * together()

    return {"ours": all_of_them, "theirs": one}, lambda: 0.0


COMPARED: dict[str, Callable[[Together], tuple[Sides, Callable[[], float]]]] = {
    "compute-bound": lambda workers: compute_bound(workers, batch=64),
    "by hand, batch 32": lambda workers: mlp(workers, batch=32, steps=400, other=ByHand),
    "by hand, batch 128": lambda workers: mlp(workers, batch=128, steps=400, other=ByHand),
    "fit, batch 32": lambda workers: mlp(workers, batch=32, steps=100, other=KerasFit),
    "fit, batch 128": lambda workers: mlp(workers, batch=128, steps=100, other=KerasFit),
}


def measured(sides: Sides, *, workers: Together, rounds: int) -> dict[str, list[float]]:
    """Steps per second of each side in each round; the first round of each warms up and does not count."""
    rates: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name in list(sides) if number % 2 else reversed(list(sides)):
            workers.totals([0.0])
            started = time.perf_counter()
            amount = sides[name]()
            rates[name].append(amount / (time.perf_counter() - started))
    workers.totals([0.0])
    return {name: found[1:] for name, found in rates.items()}


def main(file: Path, rounds: int) -> None:
    workers = Together(pinned_place())
    found: dict[str, Any] = {}
    for name, make in COMPARED.items():
        sides, difference = make(workers)
        found[name] = {**measured(sides, workers=workers, rounds=rounds), "difference": difference()}
    write_and_leave(found, file=file, workers=workers)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
