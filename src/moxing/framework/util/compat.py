"""Text and bytes."""


def as_str(value: str | bytes, encoding: str = "utf-8") -> str:
    """A text, whether given as such or as bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode(encoding)
    raise TypeError(f"expected text or bytes, got {value!r}")
