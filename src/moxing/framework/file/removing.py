"""Files and directories that go, or get another name."""

from moxing.framework.file.copying import copy, copy_parallel
from moxing.framework.file.failures import told
from moxing.framework.file.stores import Url, as_text, place_of
from runyard.telemetry import note


def remove(url: Url, recursive: bool = False) -> None:
    """Removes a file, or with `recursive` a directory and all that is in it.

    A line says so where nothing is removed: a directory without `recursive`, a file with a / after its name.

    Raises:
        MoxFileNotExistsException: if there is nothing of that name.
    """
    place, text = place_of(url), as_text(url)
    with told(url):
        directory = place.store.stat(place.path.rstrip("/") or place.path).is_directory
    if not directory and text.endswith("/"):
        note(f"{text} is a file and was not removed: leave the / out")
    elif not directory:
        place.store.remove_file(place.path)
    elif recursive:
        place.store.remove_tree(place.path)
    else:
        note(f"{text} is a directory and was not removed: that needs recursive=True")


def rename(src_url: Url, dst_url: Url) -> None:
    """Moves a file or a directory; also from one place to another, such as from a local disk to an object store.

    Raises:
        MoxFileNotExistsException: if there is nothing to move.
    """
    source, target = place_of(src_url), place_of(dst_url)
    with told(src_url):
        directory = source.store.stat(source.path).is_directory
        if source.store is target.store:
            source.store.rename(source.path, target.path)
        elif directory:
            copy_parallel(src_url, dst_url)
            source.store.remove_tree(source.path)
        else:
            copy(src_url, dst_url)
            source.store.remove_file(source.path)
