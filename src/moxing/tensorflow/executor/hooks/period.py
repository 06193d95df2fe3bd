"""When a hook evaluates, and on how much."""

import math
from dataclasses import dataclass
from numbers import Real

from moxing.tensorflow.executor.failures import WrongValue


@dataclass(frozen=True, kw_only=True)
class EvaluationPeriod:
    """Every so many epochs of the training set.

    Args:
        batch_size: of one device.
        samples_in_train: in an epoch of training.
        samples_in_eval: how many an evaluation looks at.
        every_n_epochs: epochs between two evaluations; may be a fraction.

    Raises:
        WrongValue: a ValueError, if one of them is not more than 0.
    """

    batch_size: int
    samples_in_train: int
    samples_in_eval: int
    every_n_epochs: float

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (isinstance(value, Real) and float(value) > 0):
                shown = "evaluate_every_n_epochs" if name == "every_n_epochs" else name
                raise WrongValue(f"{shown}={value!r} of an evaluation hook", hint="it must be a number above 0")

    def steps(self, *, num_clones: int) -> int:
        """Training steps from one evaluation to the next."""
        epoch = math.ceil(self.samples_in_train / (self.batch_size * num_clones))
        return max(1, round(epoch * self.every_n_epochs))

    def batches(self, *, num_clones: int) -> int:
        """Session calls of an evaluation; each takes a batch for every device."""
        return math.ceil(self.samples_in_eval / (self.batch_size * num_clones))
