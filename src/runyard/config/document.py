"""A job file as plain data that still knows where everything was written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from runyard.config.problems import InvalidJob, JsonPath, Problem
from runyard.config.relaxed_json import parse_relaxed_json
from runyard.config.relaxed_json_mistakes import LineNode
from runyard.config.yaml_document import parse_yaml


@dataclass(frozen=True)
class Document:
    """What a file says, and in which line it says it.

    Args:
        data: plain data: dict, list, str, int, float, bool and None.
        source: the name of the file, for messages.
        lines: the line of each value; for a member of an object, the line of its key. Empty for data without a file.
    """

    data: object
    source: str
    lines: Mapping[JsonPath, int]

    @property
    def is_yaml(self) -> bool:
        return _is_yaml(self.source)

    def line_of(self, path: JsonPath) -> int | None:
        """The line of the value at a path, or of the nearest thing around it whose line is known."""
        for length in range(len(path), -1, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return line
        return None


def read_document(path: Path) -> Document:
    """Reads a job file: YAML if it is called `.yaml` or `.yml`, else JSON with comments.

    Raises:
        InvalidJob: if the file cannot be read, is not UTF-8, or is not well formed.
    """
    source = str(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise _refused("there is no such file; check the path", source=source) from None
    except IsADirectoryError:
        raise _refused("this is a directory; give the path of the job file in it", source=source) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(f"the file cannot be read: {reason}", source=source) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        looks_like = "; it looks like UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        message = f"the file is not UTF-8 text{looks_like}; save it with the encoding UTF-8"
        raise _refused(message, source=source, line=content.count(b"\n", 0, error.start) + 1) from None
    return parse_document(text, source=source)


def parse_document(text: str, *, source: str) -> Document:
    """Reads the text of a job file: YAML if the source is called `.yaml` or `.yml`, else JSON with comments.

    Raises:
        InvalidJob: if the text is not well formed.
    """
    text = text.removeprefix("\ufeff")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"character U+{ord(text[error.start]):04X} is half of a surrogate pair; write the character itself"
        raise _refused(message, source=source, line=text.count("\n", 0, error.start) + 1) from None
    data, root = parse_yaml(text, source=source) if _is_yaml(source) else parse_relaxed_json(text, source=source)
    return Document(data=data, source=source, lines=_Lines(root))


def _is_yaml(source: str) -> bool:
    return PurePath(source).suffix.lower() in (".yaml", ".yml")


class _Lines(Mapping[JsonPath, int]):
    """A tree of lines, seen as a mapping from paths."""

    def __init__(self, root: LineNode) -> None:
        self._root = root

    def __getitem__(self, path: JsonPath) -> int:
        node: LineNode | None = self._root
        for part in path:
            node = _child(node, part)
        if node is None:
            raise KeyError(path)
        return node[0] if isinstance(node, tuple) else node

    def __iter__(self) -> Iterator[JsonPath]:
        return _paths(self._root, path=())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _child(node: LineNode | None, part: str | int) -> LineNode | None:
    inside = node[1] if isinstance(node, tuple) else None
    if isinstance(inside, dict) and isinstance(part, str):
        return inside.get(part)
    if isinstance(inside, list) and isinstance(part, int) and 0 <= part < len(inside):
        return inside[part]
    return None


def _paths(node: LineNode, *, path: JsonPath) -> Iterator[JsonPath]:
    yield path
    if isinstance(node, tuple):
        inside = node[1]
        for part, child in inside.items() if isinstance(inside, dict) else enumerate(inside):
            yield from _paths(child, path=(*path, part))


def _refused(message: str, *, source: str, line: int | None = None) -> InvalidJob:
    return InvalidJob([Problem(message, source=source, line=line)])
