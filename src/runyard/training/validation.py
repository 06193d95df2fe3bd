"""Validation after an epoch, over one or several datasets."""

import contextlib
import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from runyard.training.average import WeightAverage
from runyard.training.evaluating import Evaluation


@dataclass(frozen=True)
class Validation:
    """The validation sets of a run.

    Args:
        sets: evaluations by the suffix of their names: "" for a single one.
        every_epochs: how often.
        batches: how many batches of each; None for all.
        average: whose weights are validated instead of the last, if there is one.
        refresh: called before each validation, with the weights in place: brings models up to date that have weights of
            their own.
        explain: the context in which the set of a suffix is validated: turns what Keras raises into errors for people.
    """

    sets: Mapping[str, Evaluation]
    every_epochs: int = 1
    batches: Mapping[str, int | None] | None = None
    average: WeightAverage | None = None
    seed: int = 0
    refresh: Callable[[], None] | None = None
    explain: Callable[[str], AbstractContextManager[object]] = contextlib.nullcontext

    @property
    def names(self) -> list[str]:
        return [_name(name, key) for key, evaluation in self.sets.items() for name in evaluation.names]

    def due(self, *, epochs_done: int) -> bool:
        return bool(self.sets) and epochs_done % self.every_epochs == 0

    def __call__(self, *, epoch: int, between_calls: Callable[[], None]) -> dict[str, Any]:
        """`val_auc`, or `val_auc(0)` for each of several sets.

        Args:
            epoch: what Python draws while the sets are read is a function of it and the seed, after a resume, too.
            between_calls: called now and then; may raise to end the validation.
        """
        results: dict[str, Any] = {}
        random.seed(f"{self.seed} {epoch}")
        np.random.seed((self.seed + 7_919 * epoch) % 2**32)
        with self.average.in_place() if self.average else contextlib.nullcontext():
            if self.refresh is not None:
                self.refresh()
            for key, evaluation in self.sets.items():
                limit = (self.batches or {}).get(key)
                with self.explain(key):
                    found = evaluation(what=set_name(key), batches=limit, between_calls=between_calls)
                results.update({_name(name, key): value for name, value in found.items()})
        return results


def set_name(key: str) -> str:
    """What messages call a validation set."""
    return f"validation set {key!r}" if key else "validation set"


def _name(name: str, key: str) -> str:
    return f"val_{name}({key})" if key else f"val_{name}"
