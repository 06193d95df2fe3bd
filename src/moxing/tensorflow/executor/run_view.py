"""What a hook may know about the run that it is part of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from moxing.tensorflow.executor.inter_mode import InterMode


@dataclass
class RunView:
    """The run, as hooks see it.

    Attributes:
        step: the number of the step that has just been run, from 0 on; what the console line shows.
        batch_size: of one device; None if it was not given.
        inter: the inter mode, if there is one.
    """

    num_clones: int
    batch_size: int | None
    is_chief: bool
    inter: InterMode | None = None
    step: int = -1
    _families: list[list[Any]] = field(default_factory=list)

    def relate(self, hooks: Sequence[Any]) -> None:
        """Says that these instances are one hook in the clones, in their order."""
        self._families.append(list(hooks))

    def clones_of(self, hook: Any) -> list[Any]:
        """The instances of a hook in all clones."""
        for family in self._families:
            if any(one is hook for one in family):
                return list(family)
        return [hook]
