"""A batch forward and backward on several devices of this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runyard.bridge import tensorflow_variable
from runyard.data.batch_rows import put_together, rows_of
from runyard.data.elements import Element
from runyard.training.backward import Backward, BackwardPass
from runyard.training.copies import Copies
from runyard.training.devices import Spread
from runyard.training.shared_gradients import SharedGradients


@dataclass(frozen=True, eq=False, repr=False)
class ReplicatedPass:
    """What one device would find for the whole batch, found by several for a part each.

    Args:
        own: what each device does with its part.
        copies: what the forward pass changes, for each replica.
    """

    own: BackwardPass
    spread: Spread
    copies: Copies

    @property
    def variables(self) -> Sequence[Any]:
        return self.own.variables

    def __call__(self, element: Element) -> Backward:
        made: list[SharedGradients] = []
        shapes = [tensorflow_variable(variable).shape for variable in self.variables]

        def of_one(index: int, part: Any) -> Any:
            with self.copies.in_place(index):
                result = self.own(Element(*part))
            made.append(SharedGradients(result, rows=rows_of(part), shapes=shapes))
            return result.outputs, made[-1].packed

        def of_all(found: Sequence[Any]) -> Any:
            outputs, packed = zip(*found, strict=True)
            return put_together(outputs), made[-1].joined(packed)

        batch = (element.inputs, element.labels, element.weights)
        outputs, packed = self.spread(of_one, batch, joined=of_all)
        found = made[-1].unpacked(packed).result
        return Backward(outputs, found.total, found.losses, found.tasks, regularised=found.regularised)
