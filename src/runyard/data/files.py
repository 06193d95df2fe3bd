"""Whole files for each worker: the list of file names is divided, and the steps after it are built on that part."""

from collections.abc import Iterator
from typing import Any

from tensorflow.python.data.ops import repeat_op

from runyard.data.rebuilding import built_again, is_row_by_row
from runyard.data.steps import is_silent, opened, rebuilt

_OPENING = frozenset(
    [
        "CSVDataset",
        "CSVDatasetV2",
        "FixedLengthRecordDataset",
        "FixedLengthRecordDatasetV2",
        "ReadFile",
        "TFRecordDataset",
        "TFRecordDatasetV2",
        "TextLineDataset",
    ]
)
"""Operations in the function of a step by which it opens files."""


class CannotDivideFiles(Exception):
    """Files cannot be divided among workers. The message completes `files cannot be divided: ...`."""


def files_of(dataset: Any, *, count: int, index: int) -> Any:
    """The rows of every `count`-th file, in the order of the whole.

    Raises:
        CannotDivideFiles: if the dataset has no files, or fewer than `count`, or cannot be taken apart.
    """
    steps: list[Any] = []
    opened_at: int | None = None
    below = dataset
    while True:
        step = opened(below)
        if not is_row_by_row(step):
            break
        steps.append(step)
        # The lowest is the one: rows may name files, too.
        opened_at = len(steps) if _opens_files(step) else opened_at
        below = step._input_dataset
    if opened_at is None:
        raise CannotDivideFiles(_why(below))
    *later, opening = steps[:opened_at]
    made = built_again(opening, on=_divided(opening._input_dataset, count=count, index=index))
    for step in reversed(later):
        made = built_again(step, on=made)
    return made


def _divided(names: Any, *, count: int, index: int) -> Any:
    """A part of the file names. Names that are repeated are divided before they are repeated."""
    again: list[Any] = []
    while is_silent(names) or type(names) is repeat_op._RepeatDataset:
        again.append(names)
        names = names._input_dataset
    files = sum(1 for _ in names.take(count)) if names.cardinality() < 0 else int(names.cardinality())
    if files < count:
        raise CannotDivideFiles(f"there {'is 1' if files == 1 else f'are {files}'} for {count} workers")
    return rebuilt(names.shard(count, index), steps=again[::-1])


def _opens_files(step: Any) -> bool:
    return any(not _OPENING.isdisjoint(_operations(function)) for function in step._functions())


def _operations(function: Any) -> Iterator[str]:
    graph = function.function.graph.as_graph_def()
    for nodes in (graph.node, *(inner.node_def for inner in graph.library.function)):
        yield from (node.op for node in nodes)


def _why(obstacle: Any) -> str:
    name = type(obstacle).__name__.strip("_").removesuffix("V2").removesuffix("Dataset")
    if name in ("Take", "Skip", "Shard"):
        return f"{name.lower()}() counts the rows of all of them"
    return f"{name} is in the way" if obstacle._inputs() else f"the data begin with {name}, which opens none"
