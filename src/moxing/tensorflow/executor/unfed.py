"""A placeholder that nobody feeds: TensorFlow notices in the first step, and knows no way to feed it in `mox.run`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from runyard.legacy.ownership import is_library_file

_UNFED = re.compile(r"You must feed a value for placeholder tensor '([^']+)'")
_SCOPE = re.compile(r"^(clone|inter)_\d+/")


@contextmanager
def unfed_placeholders_told() -> Iterator[None]:
    """Raises `WrongValue` for a placeholder of the default graph that has no value."""
    graph = tf.get_default_graph()
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        found = _UNFED.search(str(error.message))
        if found is None:
            raise
        name = found.group(1)
        raise WrongValue(
            f"the placeholder {_SCOPE.sub('', name)!r}{_where(graph, name)} gets no value",
            hint="let input_fn return the values, or feed it in every step:"
            " mox.ModelSpec(..., hooks=[mox.FeedSessionRunHook({placeholder: value})])",
        ) from None


def _where(graph: tf.Graph, name: str) -> str:
    """The line of the program that made it."""
    try:
        frames = graph.get_operation_by_name(name).traceback or []
    except KeyError:
        return ""
    own = [frame for frame in frames if not is_library_file(frame.filename)]
    return f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
