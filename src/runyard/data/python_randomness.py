"""The random generators of Python and NumPy, which are there once for a whole process."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PythonRandomness:
    """The states of the global generators of `random` and `numpy.random`, from which Python in a dataset draws."""

    python: Any
    numpy: Any

    @classmethod
    def now(cls) -> "PythonRandomness":
        """As they are at this moment."""
        return cls(random.getstate(), np.random.get_state())

    def bring_back(self) -> None:
        """They go on from here, whoever has drawn from them since."""
        random.setstate(self.python)
        np.random.set_state(self.numpy)
