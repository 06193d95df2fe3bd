"""A directory that follows another one."""

from moxing.framework.file.copying import copy_file
from moxing.framework.file.stores import Place
from moxing.framework.file.trees import below


class Mirror:
    """Brings what has changed in a directory to another place.

    Args:
        last: names of files that speak of the others, and must not come before them.
        follow_removals: what was brought and has gone here goes there.
    """

    def __init__(
        self, source: Place, target: Place, *, last: frozenset[str] = frozenset(), follow_removals: bool = False
    ) -> None:
        self._source, self._target = source, target
        self._last = last
        self._follow_removals = follow_removals
        self._brought: dict[str, tuple[int, int]] = {}

    def brought(self) -> None:
        """Takes all files that are here now as brought already."""
        self._brought = self._present()

    def update(self) -> int:
        """Brings what is new or has changed, and returns how many files that were.

        Raises:
            OSError: if something cannot be brought; the next update tries it again.
        """
        present = self._present()
        changed = [name for name, state in present.items() if self._brought.get(name) != state]
        for name in sorted(changed, key=lambda name: (name in self._last, name)):
            try:
                copy_file(self._source.within(name), self._target.within(name))
            except FileNotFoundError:  # it has just gone
                continue
            self._brought[name] = present[name]
        gone = [name for name in self._brought if name not in present]
        for name in gone if self._follow_removals else ():
            self._remove(name)
            del self._brought[name]
        return len(changed)

    def _remove(self, name: str) -> None:
        there = self._target.within(name)
        if there.store.exists(there.path):
            there.store.remove_file(there.path)

    def _present(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        if not self._source.store.exists(self._source.path):
            return found
        for name, directory in below(self._source):
            here = self._source.within(name)
            if not directory and here.store.exists(here.path):
                stat = here.store.stat(here.path)
                found[name] = (stat.length, stat.mtime_nsec)
        return found
