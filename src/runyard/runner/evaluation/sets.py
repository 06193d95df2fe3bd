"""The test sets of a job, ready to be read: in batches, of one structure, with an end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.config import show_path
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.data.shapes import summary
from runyard.data.tree import traits_of
from runyard.errors import DataError
from runyard.runner.endless import refuse_endless
from runyard.runner.evaluation.settings import EvaluationSettings
from runyard.runner.job_script import JobScript
from runyard.telemetry import note, say
from runyard.training.limits import steps_in_epoch


@dataclass(frozen=True)
class EvaluationSet:
    """One dataset.

    Args:
        key: the suffix of its metrics; empty for the only one.
        dataset: in batches.
        batches: how many of them are read; None for all.
        varies: whether a second pass may see other rows, or in another order.
    """

    key: str
    dataset: Any
    batches: int | None
    varies: bool = False

    @property
    def what(self) -> str:
        return f"test set ({self.key})" if self.key else "test set"


def evaluation_sets(script: JobScript, *, settings: EvaluationSettings, again: bool = False) -> list[EvaluationSet]:
    """What `awf_create_test_dataset_fn` returns.

    Args:
        again: the user has been told already how the sets are read.

    Raises:
        DataError: if the datasets differ in structure, or one is endless and the job gives no end.
    """
    made = script.test_datasets()
    samples = settings.args.num_test_samples
    found: list[EvaluationSet] = []
    remarks: list[str] = []
    ways: dict[str, None] = {}
    for key, dataset in made.named.items():
        prepared = prepare(dataset, batch_size=made.batch_size, already_batched=made.batched, config=settings.data)
        ways[prepared.done] = None
        limit = samples if samples and not _ends(dataset) else None
        batches = steps_in_epoch(limit, batch_size=made.batch_size) if limit else None
        one = EvaluationSet(key, prepared.dataset, batches, _varies(dataset))
        refuse_endless(dataset, samples=samples, key="num_test_samples", what=one.what, section="eval_args")
        if samples and limit is None:
            remarks.append(f"num_test_samples has no effect on the {one.what}: it has an end, and all of it is read")
        found.append(one)
    if not again:
        say(f"Test data: {'; '.join(ways)}.")
        for remark in remarks:
            note(remark)
    _refuse_different_structures(found)
    return found


def _ends(dataset: Any) -> bool:
    """Whether it is known to have an end: behind a filter, or in a generator, nobody knows."""
    return bool(dataset.cardinality() >= 0)


def _varies(dataset: Any) -> bool:
    """Shuffles go on drawing from one pass to the next; what has state of its own may do so, too."""
    traits = traits_of(dataset)
    return traits.shuffles > 0 or traits.obstacle is not None


def _refuse_different_structures(sets: Sequence[EvaluationSet]) -> None:
    first, *others = sets
    for other in others:
        one, two = (dict(_leaves(item.dataset.element_spec)) for item in (first, other))
        if one.keys() != two.keys() or not all(_same(one[path], two[path]) for path in one):
            raise DataError(
                "the test sets differ in structure\n"
                f"  ({first.key}): {_shown(first)}\n"
                f"  ({other.key}): {_shown(other)}",
                hint="datasets of one evaluation go through the same model, so they need the same inputs and labels",
            )


def _leaves(spec: Any, *, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The specs of tensors by their paths; a weight of None is none."""
    if isinstance(spec, dict):
        for key, inner in spec.items():
            yield from _leaves(inner, path=(*path, str(key)))
    elif isinstance(spec, tuple | list):
        for place, inner in enumerate(spec):
            yield from _leaves(inner, path=(*path, place))
    elif _is_tensor(spec):
        yield show_path(path), spec


def _is_tensor(spec: Any) -> bool:
    return hasattr(spec, "shape") and hasattr(spec, "dtype")


def _same(one: Any, other: Any) -> bool:
    """Whether two specs differ in the number of rows only."""
    if type(one) is not type(other) or one.dtype != other.dtype:
        return False
    if one.shape.rank is None or other.shape.rank is None:
        return True
    return one.shape.rank == other.shape.rank and one.shape[1:].is_compatible_with(other.shape[1:])


def _shown(item: EvaluationSet) -> str:
    element = split_element(item.dataset.element_spec)
    parts = {"x": element.inputs, "y": element.labels, "weight": element.weights}
    tensors = {name: part for name, part in parts.items() if any(map(_is_tensor, tf.nest.flatten(part)))}
    return summary(tensors)
