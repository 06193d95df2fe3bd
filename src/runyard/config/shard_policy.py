"""The values of `shard_policy`."""

from enum import StrEnum


class ShardPolicy(StrEnum):
    """How a dataset is divided. The names are those of tf.data."""

    AUTO = "AUTO"
    """As DATA, whose result does not depend on how rows lie in files: the same as that of one process."""
    DATA = "DATA"
    """Element by element: the first to worker 0, the second to worker 1."""
    FILE = "FILE"
    """File by file, so that nobody reads what is another's. As DATA where that cannot be done."""
    OFF = "OFF"
    """Every worker reads everything, or what its callback gives it."""

    @classmethod
    def named(cls, written: object) -> "ShardPolicy | None":
        """In capitals or not; None if there is no such policy."""
        return cls.__members__.get(written.upper()) if isinstance(written, str) else None
