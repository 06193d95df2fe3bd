"""`dataset.get([...])`: tensors by name."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import WrongArgument


class ItemDataset:
    """What every dataset here is: names, and for each a tensor that is another value in every step.

    Nothing is made in a graph before `get` is called; so a dataset may be made anywhere.
    """

    def __init__(self) -> None:
        self._graph: Any = None
        self._features: dict[str, Any] = {}

    def get(self, items: Sequence[str]) -> list[Any]:
        """The tensors of these items; all that a graph gets from this dataset are of the same sample or batch.

        Raises:
            WrongArgument: if there is no such item, or no graph to put it into.
        """
        names = [items] if isinstance(items, str) else list(items)
        graph = _graph_in_use()
        if graph is not self._graph:
            self._features = {}
            self._build()
            self._graph = graph
        for name in names:
            if name not in self._features:
                raise WrongArgument(
                    f"{type(self).__name__}.get: there is no item {name!r}", hint=f"items: {', '.join(self._features)}"
                )
        return [self._features[name] for name in names]

    def _add_feature(self, name: str, tensor: Any) -> None:
        """Makes a tensor known as an item."""
        self._features[name] = tensor

    def _build(self) -> None:
        """Adds the items of the graph in use."""
        raise NotImplementedError


def mapped(dataset: Any, function: Callable[..., Any], *, threads: int | None = None) -> Any:
    """The function of every element. It is called as it is, so that what it raises is what the caller sees."""
    return dataset.map(tf2.autograph.experimental.do_not_convert(function), num_parallel_calls=threads)


def next_element(dataset: Any, *, private_num_threads: int) -> Any:
    """The tensors of the next element, in the graph in use. They need no initialization where that can be."""
    if private_num_threads:
        options = tf2.data.Options()
        options.threading.private_threadpool_size = private_num_threads
        dataset = dataset.with_options(options)
    try:
        return tf.data.make_one_shot_iterator(dataset).get_next()
    except ValueError:
        # A function of the program uses a variable or a table.
        iterator = tf.data.make_initializable_iterator(dataset)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()


def _graph_in_use() -> Any:
    if tf2.executing_eagerly():
        raise WrongArgument(
            "dataset.get makes tensors of a graph, and there is none here",
            hint="call it in input_fn, or within `with tf.Graph().as_default():`",
        )
    return tf.get_default_graph()
