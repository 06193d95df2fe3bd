"""Text that is safe and short."""

import html
import math
import unicodedata

_TURNS_TEXT_AROUND = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def safe(text: str) -> str:
    """Text from outside for HTML, XML and their attributes: whatever it holds, it stays text."""
    return html.escape("".join(_shown(character) for character in text), quote=True)


def number(value: float) -> str:
    """At most four digits that matter."""
    if not math.isfinite(value):
        return "–"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.3g}"
    return f"{value:.4g}"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if math.isfinite(share) else "–"


def _shown(character: str) -> str:
    if character in "\t\n\r":
        return " "
    no_character = unicodedata.category(character) in ("Cc", "Cs") or ord(character) & 0xFFFE == 0xFFFE
    return "\ufffd" if no_character or character in _TURNS_TEXT_AROUND else character
