"""What to say when the text of a job file is not JSON: the slip of the hand, its place, and how to mend it."""

import re
from typing import TypeAlias

from runyard.config.foreign_characters import describe_foreign_character
from runyard.config.problems import InvalidJob, JsonPath, Problem, shorten

# The line of a value, and for a list or an object those of what is in it. A tree takes a fraction of the memory that
# one full path per value would.
LineNode: TypeAlias = int | tuple[int, "list[LineNode] | dict[str, LineNode]"]

WORD = re.compile(r"[^\W\d][\w.\-]*")
_BAD_NUMBER = re.compile(r"[\w.+-]*")
_SHOWN = re.compile(r'"[^"\n]*"?|[\w.\-]+|.', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_MEANT = {"True": "true", "False": "false", "None": "null", "TRUE": "true", "FALSE": "false", "undefined": "null"}
_NOT_FINITE = {"NaN", "nan", "Infinity", "inf", "Inf"}


class TextPosition:
    """How far the text has been read, and what is wrong with what comes next.

    Every method that returns an `InvalidJob` is called when the text is known to be wrong; what remains is to say how.
    """

    def __init__(self, text: str, *, source: str) -> None:
        self.text = text
        self.source = source
        self.at = 0
        self.line = 1
        self.path: list[str | int] = []
        self.open: list[tuple[str, int]] = []
        self.problems: list[Problem] = []

    def error(
        self, message: str, *, line: int | None = None, at: int | None = None, received: str | None = None
    ) -> InvalidJob:
        offset = self.at if at is None else at
        column = offset - self.text.rfind("\n", 0, offset)
        problem = Problem(
            f"{message} (column {column})",
            source=self.source,
            line=self.line if line is None else line,
            path=self._where(),
            received=shorten(received) if received is not None else None,
        )
        return InvalidJob([*self.problems, problem])

    def _where(self) -> JsonPath:
        return tuple(self.path)

    def repeated_key(self, key: str, *, first: LineNode, line: int) -> None:
        first_line = first if isinstance(first, int) else first[0]
        message = (
            f'the key "{shorten(key)}" is given twice, in line {first_line} and in line {line}; delete one of them'
        )
        self.problems.append(Problem(message, source=self.source, line=line, path=self._where()))

    def show_next(self) -> str:
        word = _SHOWN.match(self.text, self.at)
        return f"'{shorten(word[0])}'" if word else "the end of the file"

    def _unclosed(self) -> InvalidJob:
        bracket, line = self.open[-1]
        closer = _CLOSERS[bracket]
        return self.error(f"'{bracket}' of line {line} is never closed; the file ends where '{closer}' is needed")

    def _common_slip(self, char: str) -> InvalidJob | None:
        """Mistakes that read the same wherever they are made."""
        if not char:
            return self._unclosed()
        foreign = describe_foreign_character(char)
        if foreign is not None:
            return self.error(foreign)
        if char in "}]" and char != _CLOSERS.get(self.open[-1][0] if self.open else ""):
            if not self.open:
                return self.error(f"'{char}' closes nothing; a job file begins with '{{'")
            bracket, line = self.open[-1]
            return self.error(f"'{char}' where '{_CLOSERS[bracket]}' is needed to close the '{bracket}' of line {line}")
        return None

    def bad_value(self, char: str, *, word: str) -> InvalidJob:
        slip = self._common_slip(char)
        if slip is not None:
            return slip
        if word in _MEANT:
            return self.error(f"'{word}' is not JSON; write '{_MEANT[word]}'")
        if word in _NOT_FINITE:
            return self.error(f"{word} is not allowed; a job file holds finite numbers only")
        if word:
            return self.error(f'text must be in double quotes: "{shorten(word)}"')
        if char == "'":
            return self.error('single quotes do not work in JSON; use double quotes: "..."')
        if char in ",}]":
            return self.error(f"a value is missing before '{char}'")
        return self.error(f"{self.show_next()} where a value is needed")

    def bad_key(self, char: str) -> InvalidJob:
        slip = self._common_slip(char)
        if slip is not None:
            return slip
        word = WORD.match(self.text, self.at)
        if word is not None:
            return self.error(f'a key must be in double quotes: "{shorten(word[0])}"')
        if char == "'":
            return self.error('single quotes do not work in JSON; put the key in double quotes: "..."')
        if char == ",":
            return self.error("one ',' too many; delete it")
        return self.error(f"{self.show_next()} where a key in double quotes is needed")

    def bad_separator(self, char: str, *, needed: str, after: str) -> InvalidJob:
        slip = self._common_slip(char)
        return slip or self.error(f"{self.show_next()} where '{needed}' is needed after {after}")

    def bad_number(self) -> InvalidJob:
        match = _BAD_NUMBER.match(self.text, self.at)
        number = match[0] if match else ""
        if number.lstrip("+-") in _NOT_FINITE:
            return self.error(f"{number} is not allowed; a job file holds finite numbers only")
        advice = "write it as in 12, -0.5 or 1e-3: no '+', leading zero, '_' or bare '.'"
        return self.error(f"'{shorten(number)}' is not a JSON number; {advice}")

    def bad_string(self, char: str, *, start: int) -> InvalidJob:
        if char not in ("", "\n", "\r"):
            escape = {"\t": "\\t"}.get(char, f"\\u{ord(char):04x}")
            return self.error(f"control character U+{ord(char):04X} in a string; write it as '{escape}'")
        foreign = re.search("[”“＂]", self.text[start : self.at])
        if foreign is None:
            return self.error("string is not closed; end it with '\"' on the same line", at=start)
        return self.error(f"string is not closed: {describe_foreign_character(foreign[0])}", at=start + foreign.start())
