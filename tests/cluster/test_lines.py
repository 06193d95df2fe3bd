import pytest

from runyard.cluster.lines import LineSplitter
from runyard.cluster.report import error_lines


def split(*pieces: bytes) -> list[str]:
    splitter = LineSplitter()
    return [line for piece in pieces for line in splitter.feed(piece)] + splitter.flush()


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([b"a\nb\n"], ["a", "b"]),
        ([b"a", b"b\nc"], ["ab", "c"]),
        ([b"a\r", b"\nb\r\n"], ["a", "b"]),
        ([b"10 %\r20 %", b"\r30 %\n"], ["30 %"]),
        ([b"\x1b[32mgreen\x1b[0m\n\x1b]0;title\x07x\n"], ["green", "x"]),
        ([b"\r\x1b[2Kbar", b"\r\x1b[2Kline\n", b"\r\x1b[2Kbar"], ["line", "bar"]),
        ([b"\xff\n"], ["\ufffd"]),
        (["ü".encode()[:1], "ü".encode()[1:] + b"\n"], ["ü"]),
        ([b"\n\n"], ["", ""]),
    ],
)
def test_bytes_become_readable_lines(pieces: list[bytes], lines: list[str]) -> None:
    assert split(*pieces) == lines


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    splitter = LineSplitter()
    lines = [line for _ in range(100) for line in splitter.feed(b"x" * 10_000)]
    assert len(lines) > 10
    assert sum(map(len, [*lines, *splitter.flush()])) == 1_000_000


def test_a_bar_that_never_ends_leaves_its_last_state_only() -> None:
    assert split(*[b"\r%d %%" % number for number in range(1000)]) == ["999 %"]


def test_the_error_is_what_begins_with_it() -> None:
    noise = [f"line {number}" for number in range(100)]
    error = ["error: it failed", "  at line 3"]
    assert error_lines([*noise, *error]) == error
    trace = ["Traceback (most recent call last):", '  File "x"', "ValueError: y", "error: it failed"]
    assert error_lines([*noise, *trace]) == trace
    assert error_lines(noise) == noise[-10:]
    assert error_lines([]) == []
