"""`yes` and `no` in YAML: truth values in old YAML, words in the YAML of today."""

from collections.abc import Iterator
from typing import cast

from runyard.config.problems import JsonPath

_MEANT = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def truth_words(data: object, *, path: JsonPath = ()) -> Iterator[tuple[JsonPath, str]]:
    """Where such a word stands as a value, and what to say about it: nothing else notices that `no` is true."""
    if isinstance(data, str) and data.lower() in _MEANT:
        yield path, f'this is the text "{data}"; if you mean a truth value, write {_MEANT[data.lower()]}'
    elif isinstance(data, dict):
        for key, value in cast("dict[str, object]", data).items():
            yield from truth_words(value, path=(*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(cast("list[object]", data)):
            yield from truth_words(item, path=(*path, index))
