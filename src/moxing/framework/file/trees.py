"""All that is below a directory."""

from collections.abc import Iterator
from pathlib import Path

from moxing.framework.file.stores import Place


def below(place: Place) -> Iterator[tuple[str, bool]]:
    """Relative paths, each with whether it is a directory; a directory comes before what is in it.

    Links to directories are followed, but not round in circles.
    """
    yield from _below(place, "", seen=frozenset({_identity(place)}))


def _below(place: Place, prefix: str, *, seen: frozenset[str]) -> Iterator[tuple[str, bool]]:
    for name, directory in place.store.names(place.path):
        yield prefix + name, directory
        inner = place.within(name)
        if directory and (identity := _identity(inner)) not in seen:
            yield from _below(inner, f"{prefix}{name}/", seen=seen | {identity})


def _identity(place: Place) -> str:
    return str(Path(place.path).resolve())
