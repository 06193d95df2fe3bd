"""`labels.txt`: which number stands for which label."""

import re
from collections.abc import Mapping

from moxing.framework import file
from moxing.tensorflow.datasets.failures import WrongData

_PAIR = re.compile(r"(\d+)\s*:\s*(.*?)\s*(?=\s\d+\s*:|$)")


def read_labels(path: str, *, several_in_a_line: bool = False) -> dict[int, str]:
    """The labels by number, in the order of the numbers.

    Args:
        several_in_a_line: `0: a 1: b` are two labels; otherwise every line is one, `0: a`.

    Raises:
        WrongData: if a line is something else, or a number or a label occurs twice.
    """
    found: dict[int, str] = {}
    for number, line in enumerate(str(file.read(path)).lstrip("\ufeff").splitlines(), start=1):
        if not line.strip():
            continue
        for index, name in _pairs(line, several=several_in_a_line, place=f"{path}:{number}"):
            if index in found:
                raise WrongData(f"{path}:{number}: {index} is already {found[index]!r}", hint="number every label once")
            if name in found.values():
                raise WrongData(f"{path}:{number}: {name!r} has a number already", hint="number every label once")
            found[index] = name
    if not found:
        raise WrongData(f"{path} is empty", hint="write lines such as `0: daisy` into it, or delete it")
    return dict(sorted(found.items()))


def consecutive(labels: Mapping[int, str], *, path: str) -> list[str]:
    """The labels as a list.

    Raises:
        WrongData: if they are not numbered 0, 1, 2, ...
    """
    for expected, index in enumerate(labels):
        if index != expected:
            raise WrongData(f"{path}: there is no label {expected}", hint="number the labels 0, 1, 2, ...")
    return list(labels.values())


def _pairs(line: str, *, several: bool, place: str) -> list[tuple[int, str]]:
    if several:
        pairs = [(int(index), name) for index, name in _PAIR.findall(line)]
    else:
        index, separator, name = (part.strip() for part in line.partition(":"))
        pairs = [(int(index), name)] if separator and index.isdecimal() else []
    if not pairs or not all(name for _, name in pairs):
        raise WrongData(f"{place}: {line.strip()!r} is no label", hint="lines must be like `0: daisy`")
    return pairs
