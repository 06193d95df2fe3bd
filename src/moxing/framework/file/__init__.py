"""`mox.file`: files by path or URL, with the same calls wherever they are."""

from moxing.framework.file.auth import set_auth
from moxing.framework.file.background import background_sync_copy
from moxing.framework.file.contents import append, append_remote, read, write
from moxing.framework.file.copying import copy, copy_parallel
from moxing.framework.file.directories import (
    exists,
    get_size,
    glob,
    is_directory,
    list_directory,
    make_dirs,
    mk_dir,
    scan_dir,
    stat,
    walk,
)
from moxing.framework.file.exceptions import (
    MoxFileNameDuplicateException,
    MoxFileNotExistsException,
    MoxFileReadException,
    MoxFileRespException,
)
from moxing.framework.file.file_object import File
from moxing.framework.file.removing import remove, rename
from moxing.framework.file.shifting import shift

__all__ = [
    "File",
    "MoxFileNameDuplicateException",
    "MoxFileNotExistsException",
    "MoxFileReadException",
    "MoxFileRespException",
    "append",
    "append_remote",
    "background_sync_copy",
    "copy",
    "copy_parallel",
    "exists",
    "get_size",
    "glob",
    "is_directory",
    "list_directory",
    "make_dirs",
    "mk_dir",
    "read",
    "remove",
    "rename",
    "scan_dir",
    "set_auth",
    "shift",
    "stat",
    "walk",
    "write",
]
