"""`mox.cache()`: runs write to a fast local disk, and what they write is brought to `log_dir` in the background."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moxing.framework.file.background import BackgroundSync
from moxing.framework.file.copying import copy_file
from moxing.framework.file.mirror import Mirror
from moxing.framework.file.stores import Place, as_text, place_of
from runyard.checkpoint.durable import is_running
from runyard.errors import StorageError
from runyard.telemetry import say

_SECONDS_BETWEEN_ROUNDS = 30.0
_LIST = "checkpoint"
"""The file that names the others; it comes last."""

_on = False


def cache() -> None:
    """From now on, `mox.run` writes checkpoints and summaries to a local disk and copies them to `log_dir`.

    Copies are made every half minute and when the run ends. For a `log_dir` on a disk that is slow or at times out of
    reach: what cannot be copied is copied later, and never holds up the training.
    """
    global _on
    _on = True


@contextmanager
def local_log_dir(log_dir: str | None) -> Iterator[str | None]:
    """Where a run writes that should end up in `log_dir`: there, or with `cache()` in a folder that is brought there.

    Raises:
        StorageError: if `log_dir` is a file, or something cannot be brought there at the end; it stays in the local
            folder then.
    """
    if log_dir is None or not _on:
        yield log_dir
        return
    there = place_of(log_dir)
    if there.store.exists(there.path) and not there.store.stat(there.path).is_directory:
        raise StorageError(f"log_dir {log_dir} is a file", hint="give a folder")
    _bring_what_dead_runs_left(log_dir, there)
    local = _new_folder(log_dir)
    here = place_of(local)
    _fetch_newest(there, here)
    mirror = Mirror(here, there, last=frozenset({_LIST}), follow_removals=True)
    mirror.brought()
    syncing = BackgroundSync(mirror.update, named=f"copying to {log_dir}", seconds=_SECONDS_BETWEEN_ROUNDS)
    say(f"{log_dir}: written to {local} first, and copied every {_SECONDS_BETWEEN_ROUNDS:.0f} s")
    try:
        yield str(local)
    finally:
        syncing.stop()
        _bring_the_rest(mirror, local, log_dir)


def _bring_the_rest(mirror: Mirror, local: Path, log_dir: str) -> None:
    try:
        mirror.update()
    except (OSError, StorageError) as error:
        raise StorageError(
            f"not all that the run wrote could be copied to {as_text(log_dir)}: {error}", hint=f"it is in {local}"
        ) from error
    shutil.rmtree(local, ignore_errors=True)


def _bring_what_dead_runs_left(log_dir: str, there: Place) -> None:
    """A run that was killed could not bring its last checkpoints; they are still on this disk."""
    for left in sorted(_root().glob(f"{_prefix(log_dir)}*"), key=lambda folder: folder.stat().st_mtime):
        writer = left.name.removeprefix(_prefix(log_dir)).partition("_")[0]
        if writer.isdecimal() and not is_running(int(writer)):
            Mirror(place_of(left), there, last=frozenset({_LIST})).update()
            shutil.rmtree(left, ignore_errors=True)


def _new_folder(log_dir: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{_prefix(log_dir)}{os.getpid()}_", dir=_root()))


def _root() -> Path:
    wanted = os.environ.get("DLS_LOCAL_CACHE_PATH") or "/cache"
    return Path(wanted if os.access(wanted, os.W_OK) else tempfile.gettempdir())


def _prefix(log_dir: str) -> str:
    return f"mox_log_{hashlib.sha256(log_dir.encode()).hexdigest()[:8]}_"


def _fetch_newest(there: Place, here: Place) -> None:
    """The checkpoints that the list names, for a run that goes on from them."""
    if not there.store.exists(there.path):
        return
    names = [name for name, directory in there.store.names(there.path) if not directory]
    if _LIST not in names:
        return
    listed = there.within(_LIST)
    with listed.store.open(listed.path, "r") as file:
        text = file.read()
    prefixes = {line.split('"')[1].rpartition("/")[2] for line in text.splitlines() if line.count('"') == 2}
    for name in names:
        stem = name.removesuffix(".index").removesuffix(".meta").partition(".data-")[0]
        if name == _LIST or stem in prefixes:
            copy_file(there.within(name), here.within(name))
