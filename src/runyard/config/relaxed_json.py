"""JSON as people write it: with comments and trailing commas, and with errors that name the slip of the hand."""

import re

from runyard.config.foreign_characters import describe_foreign_character
from runyard.config.problems import InvalidJob, shorten
from runyard.config.relaxed_json_mistakes import WORD, LineNode, TextPosition

MAX_DEPTH = 200
MAX_DIGITS = 4000  # Python itself refuses to print integers of more than 4300 digits

_GAP_START = " \t\r\n/#"
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_PLAIN_STRING = re.compile(r'"([^"\\\x00-\x1f]*)"')
_STRING_RUN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}


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


class _Parser(TextPosition):
    def parse(self) -> tuple[object, LineNode]:
        first = self._skip_gap()
        if not first:
            raise self.error("the file is empty; a job file holds one object: { ... }")
        data, lines = self._value(first, line=self.line)
        after = self._skip_gap()
        if after in ("}", "]"):
            raise self.error(f"one '{after}' too many; everything that was opened is already closed")
        if after:
            raise self.error(f"the text goes on after the end of the document with {self.show_next()}; delete it")
        if self.problems:
            raise InvalidJob(self.problems)
        return data, lines

    def _skip_gap(self) -> str:
        """Moves over spaces and comments; returns the character that follows, or `""` at the end."""
        text, start = self.text, self.at
        char = text[start : start + 1]
        if char not in _GAP_START:
            return char
        gap = _GAP.match(text, start)
        assert gap is not None  # it matches the empty string, too
        self.at = gap.end()
        self.line += text.count("\n", start, self.at)
        if text.startswith("/*", self.at):
            raise self.error("comment is not closed; end it with '*/'")
        return text[self.at : self.at + 1]

    def _value(self, char: str, *, line: int) -> tuple[object, LineNode]:
        if char == '"':
            return self._string(), line
        if char == "{":
            return self._object(line)
        if char == "[":
            return self._array(line)
        if char in ("-", "+", ".") or "0" <= char <= "9":
            return self._number(), line
        word = WORD.match(self.text, self.at)
        if word is not None and word[0] in _CONSTANTS:
            self.at = word.end()
            return _CONSTANTS[word[0]], line
        raise self.bad_value(char, word=word[0] if word else "")

    def _object(self, line: int) -> tuple[object, LineNode]:
        data: dict[str, object] = {}
        lines: dict[str, LineNode] = {}
        self._enter("{")
        more = True
        while more and (char := self._skip_gap()) != "}":
            key_line = self.line
            key = self._key(char)
            self.path.append(key)
            value, node = self._value(self._skip_gap(), line=key_line)
            if key in data:
                self.repeated_key(key, first=lines[key], line=key_line)
            else:
                data[key] = value
                lines[key] = node
            self.path.pop()
            more = self._comma("}")
        self._leave()
        return data, (line, lines)

    def _array(self, line: int) -> tuple[object, LineNode]:
        data: list[object] = []
        lines: list[LineNode] = []
        self._enter("[")
        more = True
        while more and (char := self._skip_gap()) != "]":
            self.path.append(len(data))
            value, node = self._value(char, line=self.line)
            data.append(value)
            lines.append(node)
            self.path.pop()
            more = self._comma("]")
        self._leave()
        return data, (line, lines)

    def _enter(self, bracket: str) -> None:
        if len(self.open) == MAX_DEPTH:
            del self.path[3:]  # the whole path would bury the message
            raise self.error(f"nested more than {MAX_DEPTH} levels deep; is a bracket repeated by mistake?")
        self.open.append((bracket, self.line))
        self.at += 1

    def _leave(self) -> None:
        self.open.pop()
        self.at += 1

    def _key(self, char: str) -> str:
        if char != '"':
            raise self.bad_key(char)
        key = self._string()
        separator = self._skip_gap()
        if separator != ":":
            raise self.bad_separator(separator, needed=":", after=f'the key "{shorten(key)}"')
        self.at += 1
        return key

    def _comma(self, closer: str) -> bool:
        """Reads what may follow a value; False if that is the end of its list or object."""
        end, line = self.at, self.line
        char = self._skip_gap()
        if char == ",":
            self.at += 1
            return True
        if char == closer:
            return False
        if char and (char in '"{[-' or char.isalnum()) and describe_foreign_character(char) is None:
            shown = self.show_next()
            self.at, self.line = end, line
            raise self.error(f"',' is missing after this value, before {shown}")
        raise self.bad_separator(char, needed=",", after="this value")

    def _number(self) -> int | float:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self.bad_number()
        try:
            number = parse_number(match[0])
        except ValueError as error:
            raise self.error(str(error), received=match[0]) from None
        self.at = match.end()
        return number

    def _string(self) -> str:
        match = _PLAIN_STRING.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            return match[1]
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            run = _STRING_RUN.match(self.text, self.at)
            assert run is not None  # it matches the empty string, too
            parts.append(run[0])
            self.at = run.end()
            char = self.text[self.at : self.at + 1]
            if char == '"':
                self.at += 1
                return "".join(parts)
            if char != "\\":
                raise self.bad_string(char, start=start)
            parts.append(self._escape())

    def _escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ESCAPES:
            self.at += 2
            return _ESCAPES[char]
        if char != "u":
            raise self.error(f"'\\{shorten(char)}' is not an escape; write a backslash as '\\\\'")
        unit = self._code_unit(self.at)
        if 0xD800 <= unit < 0xDC00 and self.text.startswith("\\u", self.at + 6):
            low = self._code_unit(self.at + 6)
            if 0xDC00 <= low < 0xE000:
                self.at += 12
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= unit < 0xE000:
            raise self.error(
                f"'\\u{unit:04x}' is half of a surrogate pair, not a character; write the character itself"
            )
        self.at += 6
        return chr(unit)

    def _code_unit(self, at: int) -> int:
        digits = _HEX4.match(self.text, at + 2)
        if digits is None:
            raise self.error("'\\u' must be followed by four hexadecimal digits; write a backslash as '\\\\'")
        return int(digits[0], 16)
