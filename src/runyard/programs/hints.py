"""What helps with errors that programs from a cloud meet elsewhere."""

import re
from types import TracebackType

from runyard.errors import RunyardError
from runyard.programs.packages import is_missing, told_missing

_SCHEME = re.compile(r"\b([a-z][a-z0-9+]*)://")
_STORES = frozenset({"s3", "obs", "ks3", "gs", "hdfs", "oss"})
_NO_SUCH_FILE_SYSTEM = "File system scheme"


def hint_for(error: BaseException) -> str | None:
    """A hint for what the program raised, if there is one."""
    if isinstance(error, SystemExit):
        return _for_strict_parser(error.__traceback__)
    if isinstance(error, RunyardError) and error.hint:
        return None
    if isinstance(error, ModuleNotFoundError):
        module = (error.name or "").split(".")[0]
        return told_missing(module) if is_missing(module) else None
    return _for_object_store(error)


def _for_strict_parser(frames: TracebackType | None) -> str | None:
    """Argparse has said that it does not know an argument, and ends the program."""
    while frames is not None:
        code, names = frames.tb_frame.f_code, frames.tb_frame.f_locals
        if code.co_filename.endswith("argparse.py") and code.co_name == "error":
            if "unrecognized arguments" in str(names.get("message")):
                return "args, unknown = parser.parse_known_args() passes over arguments that are not the parser's"
            return None
        frames = frames.tb_next
    return None


def _for_object_store(error: BaseException) -> str | None:
    """Neither TensorFlow 2.21 nor `open` can read a path that is in an object store."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        scheme = _store_in(current)
        if scheme is not None:
            return (
                f"{scheme}:// paths cannot be read or written here: this version works on local paths; "
                "copy the data to a folder and give that path to the program"
            )
        current = current.__cause__ or current.__context__
    return None


def _store_in(error: BaseException) -> str | None:
    if not isinstance(error, OSError) and _NO_SUCH_FILE_SYSTEM not in str(error):
        return None
    found = _SCHEME.search(str(error))
    return found.group(1) if found and found.group(1) in _STORES else None
