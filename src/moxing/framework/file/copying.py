"""Copies of files and of directories."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from moxing.framework.file.copy_progress import CopyProgress
from moxing.framework.file.exceptions import MoxFileNameDuplicateException
from moxing.framework.file.failures import told
from moxing.framework.file.stores import Place, Url, as_text, place_of
from moxing.framework.file.trees import below
from runyard.errors import StorageError
from runyard.telemetry import say

_WAITING_PER_THREAD = 64


def copy(src_url: Url, dst_url: Url, client_id: object = None) -> None:
    """Copies one file. Nobody sees the copy half written; directories that are missing are made.

    Args:
        client_id: which connection of an object store to use; local files have none.

    Raises:
        MoxFileNotExistsException: if there is no such file.
        MoxFileNameDuplicateException: if one of the two is a directory.
    """
    del client_id
    source, target = place_of(src_url), place_of(dst_url)
    with told(src_url):
        if source.store.stat(source.path).is_directory:
            raise MoxFileNameDuplicateException(
                f"{as_text(src_url)} is a directory", hint="copy_parallel copies directories"
            )
    if target.store.exists(target.path) and target.store.stat(target.path).is_directory:
        raise MoxFileNameDuplicateException(f"{as_text(dst_url)} is a directory", hint="give the name of the copy")
    copy_file(source, target)


def copy_parallel(
    src_url: Url,
    dst_url: Url,
    file_list: Sequence[str] | None = None,
    threads: int = 16,
    is_processing: bool = True,
    use_queue: bool = True,
) -> None:
    """Copies what is in a directory into another one, which is made; what is there already is replaced or kept.

    A source that is a single file is copied as by `copy`.

    Args:
        file_list: only these files, relative to the source.
        threads: how many files are copied at the same time.
        is_processing: tell now and then how far it is.
        use_queue: begin while the source is still being listed; False lists all of it first.

    Raises:
        MoxFileNotExistsException: if there is no such directory.
        StorageError: if files could not be copied; all others have been.
    """
    source, target = place_of(src_url), place_of(dst_url)
    with told(src_url):
        if not source.store.stat(source.path).is_directory:
            copy(src_url, dst_url)
            return
    _refuse_inside_itself(source, target, src_url, dst_url)
    listed: Iterable[tuple[str, bool]] = below(source) if file_list is None else ((name, False) for name in file_list)
    target.store.make_directories(target.path)
    work = _work(listed if use_queue else list(listed), source=source, target=target)
    progress = CopyProgress(told=is_processing)
    failed = _run(work, threads=max(1, threads), progress=progress)
    if failed:
        raise StorageError(
            f"{len(failed)} of {progress.files + len(failed)} files of {as_text(src_url)} could not be copied: "
            + "; ".join(failed[:3]),
            hint="the others have been copied",
        )
    if progress.files == 0:
        say("No files to copy")


def copy_file(source: Place, target: Place) -> int:
    """Copies a file and returns its size."""
    with source.store.open(source.path, "rb") as file:
        target.store.write_whole(target.path, file)
    return source.store.stat(source.path).length


def _work(
    listed: Iterable[tuple[str, bool]], *, source: Place, target: Place
) -> Iterator[tuple[str, Callable[[], int]]]:
    """Makes the directories on the way, and yields each file with what copies it."""
    for name, directory in listed:
        if directory:
            target.store.make_directories(target.within(name).path)
        else:
            yield name, partial(copy_file, source.within(name), target.within(name))


def _run(work: Iterator[tuple[str, Callable[[], int]]], *, threads: int, progress: CopyProgress) -> list[str]:
    """Copies all files, and returns what went wrong with which."""
    failed: list[str] = []
    waiting: dict[Future[int], str] = {}

    def settle(done: Iterable[Future[int]]) -> None:
        for future in done:
            name, error = waiting.pop(future), future.exception()
            if error is None:
                progress.copied(future.result())
            elif isinstance(error, OSError):
                failed.append(f"{name}: {error.strerror or error}")
            else:
                raise error

    with ThreadPoolExecutor(threads, thread_name_prefix="copy") as pool:
        for name, task in work:
            if len(waiting) >= threads * _WAITING_PER_THREAD:
                settle(wait(waiting, return_when=FIRST_COMPLETED).done)
            waiting[pool.submit(task)] = name
        settle(wait(waiting).done)
    return failed


def _refuse_inside_itself(source: Place, target: Place, src_url: Url, dst_url: Url) -> None:
    if source.store is target.store and Path(target.path).resolve().is_relative_to(Path(source.path).resolve()):
        raise StorageError(
            f"{as_text(dst_url)} lies inside of {as_text(src_url)}", hint="a directory cannot be copied into itself"
        )
