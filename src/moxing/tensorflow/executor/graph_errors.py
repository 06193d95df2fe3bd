"""What TensorFlow says about an operation of the program's graph, with the line that made the operation."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from runyard.legacy.ownership import is_library_file

_UNFED = re.compile(r"You must feed a value for placeholder tensor '([^']+)'")
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")
_COPY = re.compile(r"^(step|input)/")
_CLONE = re.compile(r"^(clone|inter)_\d+/")


@contextmanager
def graph_errors_told() -> Iterator[None]:
    """Adds to an error of the default graph where the program made the operation.

    Raises:
        WrongValue: for a placeholder that nobody feeds: TensorFlow knows no way to feed it in `mox.run`.
    """
    graph = tf.get_default_graph()
    try:
        yield
    except tf.errors.OpError as error:
        text = str(error.message)
        if found := _UNFED.search(text):
            name = _COPY.sub("", found.group(1))
            place = _place(graph, name)
            raise WrongValue(
                f"the placeholder {_CLONE.sub('', name)!r}{f' ({place})' if place else ''} gets no value",
                hint="let input_fn return the values, or feed it in every step:"
                " mox.ModelSpec(..., hooks=[mox.FeedSessionRunHook({placeholder: value})])",
            ) from None
        places = [_place(graph, _COPY.sub("", node)) for node in _NODE.findall(text)]
        if place := next(filter(None, places), None):
            error.add_note(f"  made at {place}")
        # The same, as the session that was called had it.
        raise error from None


def _place(graph: tf.Graph, name: str) -> str | None:
    """The line of the program that made an operation."""
    try:
        frames = graph.get_operation_by_name(name).traceback or []
    except (KeyError, ValueError):
        return None
    own = [frame for frame in frames if not is_library_file(frame.filename)]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else None
