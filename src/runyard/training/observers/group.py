"""All observers of a run together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runyard.checkpoint.state import Stateful
from runyard.training.boundaries import Boundary
from runyard.training.observers.base import Observer


@dataclass(frozen=True)
class ObserverGroup:
    """The observers of a run, in the order in which they are told what happens."""

    observers: Sequence[Observer]

    def tell(self, event: Callable[[Observer], None]) -> None:
        for observer in self.observers:
            event(observer)

    @property
    def boundaries(self) -> list[Boundary]:
        """Steps at which one of them wants to be called."""
        return [boundary for observer in self.observers for boundary in observer.boundaries]

    def parts(self) -> dict[str, Stateful]:
        """What a checkpoint holds of them, by their kind and a number: there may be several of one kind."""
        found: dict[str, Stateful] = {}
        for observer in self.observers:
            kind = type(observer).__name__
            found[f"{kind}_{sum(name.startswith(kind) for name in found)}"] = observer
        return found
