"""Axes, lines and bars. Colours come from the page's CSS, so that a drawing follows light and dark."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runyard.reports.palette import ModelStyle
from runyard.reports.wording import number, safe


@dataclass(frozen=True)
class Axis:
    """A range of numbers and where its ticks are."""

    low: float
    high: float
    label: str = ""
    percent: bool = False

    def place(self, value: float) -> float:
        """0 at the low end, 1 at the high end."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self, *, about: int = 5) -> list[float]:
        """Round numbers within the range."""
        rough = (self.high - self.low) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-6), math.floor(self.high / step + 1e-6)
        return [tick * step for tick in range(first, last + 1)]

    def tick_text(self, value: float) -> str:
        if abs(value) < 1e-9 * (self.high - self.low):
            value = 0.0
        return f"{100 * value:.3g} %" if self.percent else _tick(value)


@dataclass(frozen=True)
class Panel:
    """A rectangle with two axes, in the coordinates of the drawing."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self.width * self.x.place(x), self.top + self.height * (1 - self.y.place(y))

    def axes(self) -> str:
        """The grid, the numbers and the names of the axes."""
        parts: list[str] = []
        bottom, right = self.top + self.height, self.left + self.width
        for tick in self.x.ticks():
            x = self.point(tick, self.y.low)[0]
            parts.append(_segment("grid", x, self.top, x, bottom))
            parts.append(text("tick middle", x, bottom + 14, self.x.tick_text(tick)))
        for tick in self.y.ticks():
            y = self.point(self.x.low, tick)[1]
            parts.append(_segment("grid", self.left, y, right, y))
            parts.append(text("tick end", self.left - 5, y + 3.5, self.y.tick_text(tick)))
        parts.append(text("axis middle", self.left + self.width / 2, bottom + 30, self.x.label))
        parts.append(text("axis start", self.left, self.top - 7, self.y.label))
        return "".join(parts)

    def line(self, xs: Iterable[float], ys: Iterable[float], *, style: ModelStyle, title: str) -> str:
        """A model's curve."""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.point, xs, ys))
        dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
        return f'<polyline class="curve {style.css_class}" points="{points}"{dashes}>{_title(title)}</polyline>'

    def reference(self, start: tuple[float, float], end: tuple[float, float], *, title: str) -> str:
        """A dashed grey line to compare with."""
        return _segment("reference", *self.point(*start), *self.point(*end), title=title)

    def spot(self, x: float, y: float, *, style: ModelStyle, title: str, seen: bool) -> str:
        """A dot, or an unseen place that tells its numbers to the pointer."""
        kind, radius = ("dot", 3.0) if seen else ("probe", 5.0)
        across, down = self.point(x, y)
        place = f'cx="{across:.1f}" cy="{down:.1f}" r="{radius:g}"'
        return f'<circle class="{kind} {style.css_class}" {place}>{_title(title)}</circle>'

    def base_line(self) -> str:
        bottom = self.top + self.height
        return _segment("grid", self.left, bottom, self.left + self.width, bottom)

    def bar(self, start: float, end: float, height: float, *, css_class: str, title: str) -> str:
        """A bar from `start` to `end` on the x axis."""
        left, top = self.point(start, height)
        right, bottom = self.point(end, self.y.low)
        size = f'width="{max(right - left, 0.5):.2f}" height="{max(bottom - top, 0.0):.2f}"'
        return f'<rect class="{css_class}" x="{left:.2f}" y="{top:.2f}" {size}>{_title(title)}</rect>'


def drawing(parts: Sequence[str], *, width: float, height: float, label: str) -> str:
    """A whole SVG, as wide as its place on the page."""
    return f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{safe(label)}">{"".join(parts)}</svg>'


def text(css_class: str, x: float, y: float, words: str) -> str:
    """A line of text, or nothing if it is empty."""
    return f'<text class="{css_class}" x="{x:.1f}" y="{y:.1f}">{safe(words)}</text>' if words else ""


def _title(text: str) -> str:
    return "<title>" + "\n".join(safe(line) for line in text.split("\n")) + "</title>"


def _segment(css_class: str, x1: float, y1: float, x2: float, y2: float, *, title: str = "") -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return (
        f'<line class="{css_class}" {place}>{_title(title)}</line>' if title else f'<line class="{css_class}" {place}/>'
    )


def _tick(value: float) -> str:
    if value != 0 and (abs(value) >= 1e6 or abs(value) < 1e-4):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return number(round(value, 12))
