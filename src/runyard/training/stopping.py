"""Early stopping as a small pure object: it is told values and says what they mean."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from runyard.config.plugins import EarlyStopping
from runyard.errors import ModelError

_LARGER_IS_BETTER = (
    *("acc", "accuracy", "auc", "precision", "recall", "specificity", "sensitivity"),
    *("f1", "score", "iou", "io_u", "similarity", "correlation", "ndcg"),
)
"""How the names of such metrics end. What comes before may be the name of an output."""


class Verdict(Enum):
    """What a value means."""

    BETTER = "better"
    NOT_BETTER = "not better"
    STOP = "stop"


@dataclass
class StoppingRule:
    """Watches one metric over the epochs.

    The meaning of each field is Keras's: `patience` epochs without an improvement of at least `min_delta` over the best
    value end the training; `baseline` must be beaten before anything counts as progress.
    """

    config: EarlyStopping
    best: float | None = None
    best_epoch: int | None = None
    waited: int = 0
    larger_is_better: bool = field(init=False)

    def __post_init__(self) -> None:
        mode = self.config.mode
        # `auc` of `val_auc(0)` and `auc_1`: without the dataset, and without the number of one of several.
        name = re.sub(r"(_\d+)?(\(.*\))?$", "", self.config.monitor.lower())
        self.larger_is_better = mode == "max" or (mode == "auto" and name.endswith(_LARGER_IS_BETTER))

    def judge(self, value: float, *, epoch: int) -> Verdict:
        """Takes in the value of an epoch (counted from 0)."""
        if epoch < self.config.start_from_epoch:
            return Verdict.NOT_BETTER
        self.waited += 1
        if self._improves(value, self._worst if self.best is None else self.best):
            self.best, self.best_epoch = value, epoch
            if self.config.baseline is None or self._improves(value, self.config.baseline):
                self.waited = 0
            return Verdict.BETTER
        return Verdict.STOP if self.waited >= self.config.patience and epoch > 0 else Verdict.NOT_BETTER

    @property
    def _worst(self) -> float:
        return -math.inf if self.larger_is_better else math.inf

    def _improves(self, value: float, than: float) -> bool:
        delta = abs(self.config.min_delta)
        return value - delta > than if self.larger_is_better else value + delta < than

    def values(self) -> dict[str, Any]:
        """For the checkpoint."""
        return {"best": self.best, "best_epoch": self.best_epoch, "waited": self.waited}

    def load_values(self, values: dict[str, Any]) -> None:
        self.best, self.best_epoch, self.waited = values["best"], values["best_epoch"], values["waited"]


def refuse_unknown_monitor(monitor: str, *, names: Sequence[str]) -> None:
    """A monitor that matches nothing is an error before training, not silence after it.

    Raises:
        ModelError: with the names there are.
    """
    if monitor not in names:
        raise ModelError(f"early_stopping monitors {monitor!r}, which does not exist; there are {', '.join(names)}")
