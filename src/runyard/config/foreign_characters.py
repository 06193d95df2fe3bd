"""Characters that look right in a job file and are not, such as the full-width colon of a Chinese keyboard."""

import unicodedata

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
    "＄": ("dollar sign", "$"),
}


_DASHES = "‐‑‒–—―−"


def first_foreign_character(text: str) -> str | None:
    """What to say about the first character of a text that looks right and is not; None if there is none."""
    return next((found for char in text if (found := describe_foreign_character(char)) is not None), None)


def describe_foreign_character(char: str) -> str | None:
    """What to say about a character that looks right and is not, such as a full-width colon; None for all others."""
    code = f"U+{ord(char):04X}"
    keyboard = "type it with the English keyboard"
    if char in _FULL_WIDTH:
        name, ascii_char = _FULL_WIDTH[char]
        return f"full-width {name} '{char}' ({code}) where '{ascii_char}' is needed; {keyboard}"
    if char in _DASHES:
        return f"dash '{char}' ({code}) where '-' is needed; {keyboard}"
    if unicodedata.category(char) == "Cf":
        return f"invisible character {code}; delete it"
    if not char.isascii() and (char.isspace() or unicodedata.category(char) == "Zs"):
        return f"unusual space {code} where an ordinary space is needed; {keyboard}"
    if unicodedata.east_asian_width(char) == "F":
        plain = unicodedata.normalize("NFKC", char)
        return f"full-width character '{char}' ({code}) where '{plain}' is needed; {keyboard}"
    return None
