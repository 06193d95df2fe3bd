"""YAML read as plain data, by the rules of YAML 1.2: `no` is a word, `1e-3` a number and `2020-01-01` a string."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, cast

import yaml

from runyard.config.foreign_characters import describe_foreign_character
from runyard.config.problems import InvalidJob, JsonPath, Problem, shorten
from runyard.config.relaxed_json import MAX_DEPTH
from runyard.config.relaxed_json_mistakes import LineNode
from runyard.config.yaml_scalars import resolve_plain

MAX_NODES = 1_000_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FOREIGN_COLON = re.compile(r"\s*(?:- )*[\w.\-]+\s*：")
_STRING_TAGS = {"!", "tag:yaml.org,2002:str"}
_COLLECTION_TAGS = {
    yaml.SequenceStartEvent: "tag:yaml.org,2002:seq",
    yaml.MappingStartEvent: "tag:yaml.org,2002:map",
}
_MERGE: Final = object()


def parse_yaml(text: str, *, source: str) -> tuple[object, LineNode]:
    """The data in a text and the line of every value: of the key for a member, of the value itself elsewhere.

    Anchors, aliases and merge keys (`<<`) are resolved. What came in through an alias keeps the lines of its
    anchor.

    Raises:
        InvalidJob: all repeated and non-string keys up to the first other error, and that error.
    """
    return _Composer(text, source=source).compose()


@dataclass(frozen=True)
class _Value:
    data: object
    line: LineNode
    size: int = 1
    height: int = 0


@dataclass
class _Open:
    """A sequence or a mapping whose end has not been read yet."""

    line: int
    anchor: str | None
    data: list[object] | dict[str, object]
    lines: list[LineNode] | dict[str, LineNode]
    size: int = 1
    height: int = 1
    key: object = None  # a string, _MERGE, or None while a key is awaited
    key_line: int = 0
    merged: list[_Value] = field(default_factory=list[_Value])


class _Composer:
    """Builds data from parser events.

    PyYAML's own composer recurses once per level and expands aliases without a limit; here both are counted before
    anything is built.
    """

    def __init__(self, text: str, *, source: str) -> None:
        self._text = text
        self._source = source
        self._open: list[_Open] = []
        self._anchors: dict[str, _Value | None] = {}  # None: begun, not ended
        self._root: _Value | None = None
        self._nodes = 0
        self._problems: list[Problem] = []

    def compose(self) -> tuple[object, LineNode]:
        strange = _NOT_YAML.search(self._text)
        if strange is not None:
            line = self._text.count("\n", 0, strange.start()) + 1
            raise self._error(f"character U+{ord(strange[0]):04X} is not allowed in YAML; delete it", line=line)
        try:
            for event in self._events():
                self._take(event)
        except yaml.YAMLError as error:
            raise self._syntax_error(error) from None
        if self._root is None:
            raise self._error("the file is empty; a job file holds one mapping: `name: value` lines", line=1)
        if self._problems:
            raise InvalidJob(self._problems)
        return self._root.data, self._root.line

    def _events(self) -> Iterator[yaml.Event]:
        return cast(Iterator[yaml.Event], yaml.parse(self._text, Loader=_LOADER))  # pyright: ignore[reportUnknownMemberType]

    def _take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent) and self._root is not None:
            raise self._error("a second document begins here; a job file holds one, delete the '---'", line=line)
        if isinstance(event, yaml.AliasEvent):
            self._add(self._alias(str(event.anchor), line=line), line=line)
        elif isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, line=line)
            self._end_anchor(event.anchor, value)
            self._add(value, line=line)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._start(event, line=line)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._end()

    def _start(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, *, line: int) -> None:
        if event.tag not in (None, "!", _COLLECTION_TAGS[type(event)]):
            raise self._bad_tag(event.tag, line=line)
        self._check_depth(1, line=line)
        self._count(1, line=line)
        is_list = isinstance(event, yaml.SequenceStartEvent)
        self._open.append(_Open(line, event.anchor, [] if is_list else {}, [] if is_list else {}))
        self._end_anchor(event.anchor, None)

    def _end(self) -> None:
        ended = self._open.pop()
        if isinstance(ended.data, dict) and isinstance(ended.lines, dict):
            for merged in ended.merged:
                for key, value in cast(dict[str, object], merged.data).items():
                    if key not in ended.data:
                        ended.data[key] = value
                        ended.lines[key] = _member_line(merged.line, key)
        value = _Value(ended.data, (ended.line, ended.lines), ended.size, ended.height)
        self._end_anchor(ended.anchor, value)
        self._add(value, line=ended.line)

    def _end_anchor(self, anchor: str | None, value: _Value | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value

    def _alias(self, name: str, *, line: int) -> _Value:
        if name not in self._anchors:
            raise self._error(f"'*{name}' refers to nothing; no '&{name}' comes before it", line=line)
        value = self._anchors[name]
        if value is None:
            raise self._error(f"'*{name}' is used inside '&{name}' and would contain itself", line=line)
        self._check_depth(value.height, line=line)
        self._count(value.size, line=line)
        return _Value(_copy(value.data), value.line, value.size, value.height)

    def _scalar(self, event: yaml.ScalarEvent, *, line: int) -> _Value:
        self._count(1, line=line)
        text = str(event.value)
        if event.tag is not None and event.tag not in _STRING_TAGS:
            raise self._bad_tag(event.tag, line=line)
        if event.style or event.tag is not None:  # quoted, or said to be a string
            if re.search("[\ud800-\udfff]", text):
                raise self._error("half of a surrogate pair in a string; write the character itself", line=line)
            return _Value(text, line)
        if text == "<<" and event.anchor is None and self._awaits_key():
            return _Value(_MERGE, line)
        try:
            return _Value(resolve_plain(text), line)
        except ValueError as error:
            raise self._error(str(error), line=line, received=text) from None

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].data, dict) and self._open[-1].key is None

    def _add(self, value: _Value, *, line: int) -> None:
        if not self._open:
            self._root = value
            return
        parent = self._open[-1]
        parent.size += value.size
        parent.height = max(parent.height, value.height + 1)
        if isinstance(parent.data, list) and isinstance(parent.lines, list):
            parent.data.append(value.data)
            parent.lines.append(value.line)
        elif parent.key is None:
            parent.key = self._key(value, line=line)
            parent.key_line = line
        else:
            self._add_member(parent, value)
            parent.key = None

    def _key(self, value: _Value, *, line: int) -> object:
        if value.data is _MERGE or isinstance(value.data, str):
            return value.data
        if isinstance(value.data, list | dict):
            raise self._error("a list or a mapping cannot be a key; write the key as text", line=line)
        shown = json.dumps(value.data)  # as YAML writes it, too: null, true, 1
        message = f'the key {shorten(shown)} is not text; write it in quotes: "{shorten(shown)}"'
        self._problems.append(Problem(message, source=self._source, line=line, path=self._where()))
        return shown

    def _add_member(self, parent: _Open, value: _Value) -> None:
        if parent.key is _MERGE:
            parent.merged.extend(self._mappings_to_merge(value, line=parent.key_line))
            return
        key = cast(str, parent.key)
        data = cast(dict[str, object], parent.data)
        lines = cast(dict[str, LineNode], parent.lines)
        if key not in data:
            data[key] = value.data
            lines[key] = parent.key_line if isinstance(value.line, int) else (parent.key_line, value.line[1])
            return
        first = lines[key] if isinstance(lines[key], int) else cast(tuple[int, object], lines[key])[0]
        lines_given = f"in line {first} and in line {parent.key_line}"
        message = f'the key "{shorten(key)}" is given twice, {lines_given}; delete one of them'
        self._problems.append(Problem(message, source=self._source, line=parent.key_line, path=self._where()))

    def _mappings_to_merge(self, value: _Value, *, line: int) -> list[_Value]:
        data = value.data
        if isinstance(data, dict):
            return [value]
        items = cast(list[object], data) if isinstance(data, list) else [None]
        if not all(isinstance(item, dict) for item in items):
            raise self._error("'<<' takes a mapping or a list of mappings, such as `<<: *defaults`", line=line)
        nodes = cast(list[LineNode], cast(tuple[int, object], value.line)[1])
        return [_Value(item, node) for item, node in zip(items, nodes, strict=True)]

    def _check_depth(self, more: int, *, line: int) -> None:
        if len(self._open) + more > MAX_DEPTH:
            del self._open[3:]  # the whole path would bury the message
            raise self._error(f"nested more than {MAX_DEPTH} levels deep", line=line)

    def _count(self, nodes: int, *, line: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise self._error(f"more than {MAX_NODES:,} values once all aliases are expanded", line=line)

    def _where(self) -> JsonPath:
        parts: list[str | int] = []
        for level in self._open:
            if isinstance(level.lines, list):
                parts.append(len(level.lines))
            elif level.key is not None:
                parts.append(level.key if isinstance(level.key, str) else "<<")
        return tuple(parts)

    def _error(self, message: str, *, line: int | None, received: str | None = None) -> InvalidJob:
        shown = shorten(received) if received is not None else None
        problem = Problem(message, source=self._source, line=line, path=self._where(), received=shown)
        return InvalidJob([*self._problems, problem])

    def _bad_tag(self, tag: str, *, line: int) -> InvalidJob:
        return self._error(f"the tag '{shorten(tag)}' is not allowed; write plain values without tags", line=line)

    def _syntax_error(self, error: yaml.YAMLError) -> InvalidJob:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
            return self._error(f"not valid YAML: {error}", line=None)
        context = f" {error.context}" if error.context else ""
        message = f"not valid YAML: {error.problem}{context} (column {mark.column + 1})"
        rows = self._text.split("\n")
        row = rows[mark.line] if mark.line < len(rows) else ""
        # A key without its colon is noticed only at the colon of the next one.
        keys = [_FOREIGN_COLON.match(line) for line in rows[max(mark.line - 1, 0) : mark.line + 1]]
        if "\t" in row[: len(row) - len(row.lstrip())]:
            message += "; indent with spaces, not with tabs"
        elif any(keys):
            message += f"; here or in the line before there is a {describe_foreign_character('：')}"
        return self._error(message, line=min(mark.line + 1, len(rows)))


def _copy(data: object) -> object:
    """A copy that shares nothing with the anchor's data, so that a later change of one place stays in that place."""
    if isinstance(data, dict):
        return {key: _copy(value) for key, value in cast(dict[str, object], data).items()}
    if isinstance(data, list):
        return [_copy(item) for item in cast(list[object], data)]
    return data


def _member_line(node: LineNode, key: str) -> LineNode:
    members = cast(tuple[int, dict[str, LineNode]], node)[1]
    return members[key]
