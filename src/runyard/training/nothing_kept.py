"""The checkpoints of a training that keeps nothing."""


class NothingKept:
    """Stands where `Checkpoints` would: none is ever due, and nothing is written."""

    writes = False

    def due(self, *, step: int, epochs_done: int | None = None) -> bool:
        return False

    def begin(self, *, step: int, epochs_done: int | None = None) -> None:
        pass

    def save_and_wait(self, *, step: int) -> None:
        pass

    def finish(self, *, step: int, epochs_done: int) -> None:
        pass
