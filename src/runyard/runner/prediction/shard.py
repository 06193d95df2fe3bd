"""`--shard 2/8`: one slice of the rows."""

import re
from dataclasses import dataclass
from pathlib import Path

from runyard.errors import ConfigError


@dataclass(frozen=True)
class Shard:
    """A slice: every `count`-th element of the dataset from `number` on, counted from 1."""

    number: int
    count: int

    @property
    def index(self) -> int:
        return self.number - 1

    def file(self, path: Path) -> Path:
        """`predict.csv` becomes `predict-00002-of-00008.csv`."""
        return path.with_name(f"{path.stem}-{self.number:05d}-of-{self.count:05d}{path.suffix}")


def parse_shard(text: str) -> Shard:
    """Reads `2/8`.

    Raises:
        ConfigError: if it is something else.
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, flags=re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ConfigError(f"--shard is {text!r}, expected a number out of how many, such as 1/8 or 8/8")
    return Shard(int(found[1]), int(found[2]))
