"""JSON as people write it: with comments and trailing commas, and with errors that name the slip of the hand."""

import re
import unicodedata
from typing import TypeAlias

from runyard.config.problems import InvalidJob, JsonPath, Problem

MAX_DEPTH = 200
MAX_DIGITS = 4000  # Python itself refuses to print integers of more than 4300 digits

# The line of a value, and for a list or an object those of what is in it. A tree takes a fraction of the memory that
# one full path per value would.
LineNode: TypeAlias = int | tuple[int, "list[LineNode] | dict[str, LineNode]"]

_GAP_START = " \t\r\n/#"
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_PLAIN_STRING = re.compile(r'"([^"\\\x00-\x1f]*)"')
_STRING_RUN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])")
_BAD_NUMBER = re.compile(r"[\w.+-]*")
_WORD = re.compile(r"[^\W\d][\w.\-]*")
_SHOWN = re.compile(r'"[^"\n]*"?|[\w.\-]+|.', re.DOTALL)
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CLOSERS = {"{": "}", "[": "]"}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}
_MEANT = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "undefined": "null"}
_NOT_FINITE = {"NaN", "nan", "Infinity", "inf", "Inf"}

_FULL_WIDTH = {
    "：": ("colon", ":"),
    "，": ("comma", ","),
    "、": ("comma", ","),
    "；": ("semicolon", ","),
    "“": ("quotation mark", '"'),
    "”": ("quotation mark", '"'),
    "„": ("quotation mark", '"'),
    "＂": ("quotation mark", '"'),
    "‘": ("quotation mark", '"'),
    "’": ("quotation mark", '"'),
    "＇": ("quotation mark", '"'),
    "「": ("quotation mark", '"'),
    "」": ("quotation mark", '"'),
    "｛": ("brace", "{"),
    "｝": ("brace", "}"),
    "［": ("bracket", "["),
    "］": ("bracket", "]"),
    "【": ("bracket", "["),
    "】": ("bracket", "]"),
    "。": ("full stop", "."),
}


def parse_relaxed_json(text: str, *, source: str) -> tuple[object, LineNode]:
    """The data in a text and the line of every value: of the key for a member, of the value itself elsewhere.

    Beyond JSON, `//`, `#` and `/* */` comments and commas before a closing bracket are accepted.

    Raises:
        InvalidJob: all repeated keys up to the first syntax error, and that error.
    """
    return _Parser(text, source=source).parse()


def parse_number(text: str) -> int | float:
    """A decimal number, known to be well formed.

    Raises:
        ValueError: with a message for a person, if it is larger than can be computed with.
    """
    digits = text.lstrip("+-")
    if digits.isdigit():
        if len(digits) > MAX_DIGITS:
            raise ValueError(f"number too large: it has {len(digits)} digits, at most {MAX_DIGITS} are read")
        return int(text)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("number too large: floating-point numbers end at about 1.8e308")
    return number


def describe_foreign_character(char: str) -> str | None:
    """What to say about a character that looks right and is not, such as a full-width colon; None for all others."""
    code = f"U+{ord(char):04X}"
    keyboard = "type it with the English keyboard"
    if char in _FULL_WIDTH:
        name, ascii_char = _FULL_WIDTH[char]
        return f"full-width {name} '{char}' ({code}) where '{ascii_char}' is needed; {keyboard}"
    if unicodedata.category(char) == "Cf":
        return f"invisible character {code}; delete it"
    if not char.isascii() and (char.isspace() or unicodedata.category(char) == "Zs"):
        return f"unusual space {code} where an ordinary space is needed; {keyboard}"
    if unicodedata.east_asian_width(char) == "F":
        plain = unicodedata.normalize("NFKC", char)
        return f"full-width character '{char}' ({code}) where '{plain}' is needed; {keyboard}"
    return None


def shorten(text: str) -> str:
    """A piece of the user's text that fits into a message and does nothing to the terminal."""
    start = text if len(text) <= 60 else f"{text[:57]}..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in start)


class _Parser:
    def __init__(self, text: str, *, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0
        self._line = 1
        self._path: list[str | int] = []
        self._open: list[tuple[str, int]] = []
        self._problems: list[Problem] = []

    def parse(self) -> tuple[object, LineNode]:
        first = self._skip_gap()
        if not first:
            raise self._error("the file is empty; a job file holds one object: { ... }")
        data, lines = self._value(first, line=self._line)
        after = self._skip_gap()
        if after in ("}", "]"):
            raise self._error(f"one '{after}' too many; everything that was opened is already closed")
        if after:
            raise self._error(f"the text goes on after the end of the document with {self._show_next()}; delete it")
        if self._problems:
            raise InvalidJob(self._problems)
        return data, lines

    def _skip_gap(self) -> str:
        """Moves over spaces and comments; returns the character that follows, or `""` at the end."""
        text, start = self._text, self._at
        char = text[start : start + 1]
        if char not in _GAP_START:
            return char
        gap = _GAP.match(text, start)
        assert gap is not None  # it matches the empty string, too
        self._at = gap.end()
        self._line += text.count("\n", start, self._at)
        if text.startswith("/*", self._at):
            raise self._error("comment is not closed; end it with '*/'")
        return text[self._at : self._at + 1]

    def _value(self, char: str, *, line: int) -> tuple[object, LineNode]:
        if char == '"':
            return self._string(), line
        if char == "{":
            return self._object(line)
        if char == "[":
            return self._array(line)
        if char in ("-", "+", ".") or "0" <= char <= "9":
            return self._number(), line
        word = _WORD.match(self._text, self._at)
        if word is not None and word[0] in _CONSTANTS:
            self._at = word.end()
            return _CONSTANTS[word[0]], line
        raise self._bad_value(char, word=word[0] if word else "")

    def _object(self, line: int) -> tuple[object, LineNode]:
        data: dict[str, object] = {}
        lines: dict[str, LineNode] = {}
        self._enter("{")
        more = True
        while more and (char := self._skip_gap()) != "}":
            key_line = self._line
            key = self._key(char)
            self._path.append(key)
            value, node = self._value(self._skip_gap(), line=key_line)
            if key in data:
                self._repeated_key(key, first=lines[key], line=key_line)
            else:
                data[key] = value
                lines[key] = node
            self._path.pop()
            more = self._comma("}")
        self._leave()
        return data, (line, lines)

    def _array(self, line: int) -> tuple[object, LineNode]:
        data: list[object] = []
        lines: list[LineNode] = []
        self._enter("[")
        more = True
        while more and (char := self._skip_gap()) != "]":
            self._path.append(len(data))
            value, node = self._value(char, line=self._line)
            data.append(value)
            lines.append(node)
            self._path.pop()
            more = self._comma("]")
        self._leave()
        return data, (line, lines)

    def _enter(self, bracket: str) -> None:
        if len(self._open) == MAX_DEPTH:
            del self._path[3:]  # the whole path would bury the message
            raise self._error(f"nested more than {MAX_DEPTH} levels deep; is a bracket repeated by mistake?")
        self._open.append((bracket, self._line))
        self._at += 1

    def _leave(self) -> None:
        self._open.pop()
        self._at += 1

    def _key(self, char: str) -> str:
        if char != '"':
            raise self._bad_key(char)
        key = self._string()
        separator = self._skip_gap()
        if separator != ":":
            raise self._bad_separator(separator, needed=":", after=f'the key "{shorten(key)}"')
        self._at += 1
        return key

    def _comma(self, closer: str) -> bool:
        """Reads what may follow a value; False if that is the end of its list or object."""
        end, line = self._at, self._line
        char = self._skip_gap()
        if char == ",":
            self._at += 1
            return True
        if char == closer:
            return False
        if char and (char in '"{[-' or char.isalnum()) and describe_foreign_character(char) is None:
            shown = self._show_next()
            self._at, self._line = end, line
            raise self._error(f"',' is missing after this value, before {shown}")
        raise self._bad_separator(char, needed=",", after="this value")

    def _number(self) -> int | float:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            raise self._bad_number()
        try:
            number = parse_number(match[0])
        except ValueError as error:
            raise self._error(str(error), received=match[0]) from None
        self._at = match.end()
        return number

    def _string(self) -> str:
        match = _PLAIN_STRING.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            return match[1]
        start = self._at
        self._at += 1
        parts: list[str] = []
        while True:
            run = _STRING_RUN.match(self._text, self._at)
            assert run is not None  # it matches the empty string, too
            parts.append(run[0])
            self._at = run.end()
            char = self._text[self._at : self._at + 1]
            if char == '"':
                self._at += 1
                return "".join(parts)
            if char != "\\":
                raise self._bad_string(char, start=start)
            parts.append(self._escape())

    def _escape(self) -> str:
        char = self._text[self._at + 1 : self._at + 2]
        if char in _ESCAPES:
            self._at += 2
            return _ESCAPES[char]
        if char != "u":
            raise self._error(f"'\\{shorten(char)}' is not an escape; write a backslash as '\\\\'")
        unit = self._code_unit(self._at)
        if 0xD800 <= unit < 0xDC00 and self._text.startswith("\\u", self._at + 6):
            low = self._code_unit(self._at + 6)
            if 0xDC00 <= low < 0xE000:
                self._at += 12
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= unit < 0xE000:
            raise self._error(
                f"'\\u{unit:04x}' is half of a surrogate pair, not a character; write the character itself"
            )
        self._at += 6
        return chr(unit)

    def _code_unit(self, at: int) -> int:
        digits = _HEX4.match(self._text, at + 2)
        if digits is None:
            raise self._error("'\\u' must be followed by four hexadecimal digits; write a backslash as '\\\\'")
        return int(digits[0], 16)

    # From here on the text is known to be wrong: what remains is to say how.

    def _error(
        self, message: str, *, line: int | None = None, at: int | None = None, received: str | None = None
    ) -> InvalidJob:
        offset = self._at if at is None else at
        column = offset - self._text.rfind("\n", 0, offset)
        problem = Problem(
            f"{message} (column {column})",
            source=self._source,
            line=self._line if line is None else line,
            path=self._where(),
            received=shorten(received) if received is not None else None,
        )
        return InvalidJob([*self._problems, problem])

    def _where(self) -> JsonPath:
        return tuple(self._path)

    def _repeated_key(self, key: str, *, first: LineNode, line: int) -> None:
        first_line = first if isinstance(first, int) else first[0]
        message = (
            f'the key "{shorten(key)}" is given twice, in line {first_line} and in line {line}; delete one of them'
        )
        self._problems.append(Problem(message, source=self._source, line=line, path=self._where()))

    def _show_next(self) -> str:
        word = _SHOWN.match(self._text, self._at)
        return f"'{shorten(word[0])}'" if word else "the end of the file"

    def _unclosed(self) -> InvalidJob:
        bracket, line = self._open[-1]
        closer = _CLOSERS[bracket]
        return self._error(f"'{bracket}' of line {line} is never closed; the file ends where '{closer}' is needed")

    def _common_slip(self, char: str) -> InvalidJob | None:
        """Mistakes that read the same wherever they are made."""
        if not char:
            return self._unclosed()
        foreign = describe_foreign_character(char)
        if foreign is not None:
            return self._error(foreign)
        if char in "}]" and char != _CLOSERS.get(self._open[-1][0] if self._open else ""):
            if not self._open:
                return self._error(f"'{char}' closes nothing; a job file begins with '{{'")
            bracket, line = self._open[-1]
            return self._error(
                f"'{char}' where '{_CLOSERS[bracket]}' is needed to close the '{bracket}' of line {line}"
            )
        return None

    def _bad_value(self, char: str, *, word: str) -> InvalidJob:
        slip = self._common_slip(char)
        if slip is not None:
            return slip
        if word in _MEANT:
            return self._error(f"'{word}' is not JSON; write '{_MEANT[word]}'")
        if word in _NOT_FINITE:
            return self._error(f"{word} is not allowed; a job file holds finite numbers only")
        if word:
            return self._error(f'text must be in double quotes: "{shorten(word)}"')
        if char == "'":
            return self._error('single quotes do not work in JSON; use double quotes: "..."')
        if char in ",}]":
            return self._error(f"a value is missing before '{char}'")
        return self._error(f"{self._show_next()} where a value is needed")

    def _bad_key(self, char: str) -> InvalidJob:
        slip = self._common_slip(char)
        if slip is not None:
            return slip
        word = _WORD.match(self._text, self._at)
        if word is not None:
            return self._error(f'a key must be in double quotes: "{shorten(word[0])}"')
        if char == "'":
            return self._error('single quotes do not work in JSON; put the key in double quotes: "..."')
        if char == ",":
            return self._error("one ',' too many; delete it")
        return self._error(f"{self._show_next()} where a key in double quotes is needed")

    def _bad_separator(self, char: str, *, needed: str, after: str) -> InvalidJob:
        slip = self._common_slip(char)
        return slip or self._error(f"{self._show_next()} where '{needed}' is needed after {after}")

    def _bad_number(self) -> InvalidJob:
        match = _BAD_NUMBER.match(self._text, self._at)
        number = match[0] if match else ""
        if number.lstrip("+-") in _NOT_FINITE:
            return self._error(f"{number} is not allowed; a job file holds finite numbers only")
        advice = "write it as in 12, -0.5 or 1e-3: no '+', leading zero, '_' or bare '.'"
        return self._error(f"'{shorten(number)}' is not a JSON number; {advice}")

    def _bad_string(self, char: str, *, start: int) -> InvalidJob:
        if char not in ("", "\n", "\r"):
            escape = {"\t": "\\t"}.get(char, f"\\u{ord(char):04x}")
            return self._error(f"control character U+{ord(char):04X} in a string; write it as '{escape}'")
        foreign = re.search("[”“＂]", self._text[start : self._at])
        if foreign is None:
            return self._error("string is not closed; end it with '\"' on the same line", at=start)
        return self._error(
            f"string is not closed: {describe_foreign_character(foreign[0])}", at=start + foreign.start()
        )
