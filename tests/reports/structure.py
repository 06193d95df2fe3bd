"""What a page is made of, read by parsers that did not write it."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

_VOID = frozenset({"meta"})
_INLINE = frozenset({"bdi", "b", "i", "small"})


class Outline(HTMLParser):
    """The elements that hold text, one on a line. Drawings are left out.

    Fails if an element is closed that is not the innermost open one.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self._open: list[str] = []
        self._words: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._flush(tag)
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        self._flush(tag)
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "svg" not in self._open and "style" not in self._open:
            self._words.append(data)

    def _flush(self, tag: str) -> None:
        if tag in _INLINE:
            self._words.append(" ")
            return
        words = " ".join("".join(self._words).split())
        if words:
            self.lines.append(f"{'  ' * (len(self._open) - 2)}{self._open[-1]}: {words}")
        self._words.clear()


def drawings(text: str) -> list[ElementTree.Element]:
    """Every plot (not the small pieces of line in legends), parsed as XML."""
    found = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)]
    return [svg for svg in found if svg.get("role") == "img"]


def numbers_of(svg: ElementTree.Element) -> list[float]:
    """Every coordinate and size in a plot."""
    named = [
        value
        for element in svg.iter()
        for name, value in element.attrib.items()
        if name in ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height", "points", "viewBox")
    ]
    return [float(number) for value in named for number in value.replace(",", " ").split()]
