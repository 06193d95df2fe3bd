"""Names that must differ, numbered as Keras numbers layers."""

import itertools
from collections.abc import Iterable


def distinct_names(names: Iterable[str]) -> list[str]:
    """Every name once: a second `mlp` is called `mlp_1`."""
    found: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in itertools.count(1))
        found.append(next(free for free in itertools.chain([name], others) if free not in found))
    return found
