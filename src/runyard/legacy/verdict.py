"""Whether a program was written for TensorFlow 1, for TensorFlow 2, or for neither; and how that is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runyard.legacy.api_names import Era, api_names
from runyard.legacy.sources import ProgramSources, Source
from runyard.legacy.usage import Use, methods, other_imports, tensorflow_uses

TensorFlowVersion = Literal[1, 2]

_ONLY_IN_ONE = ("contrib", "examples", "estimator")
"""Packages that no TensorFlow has today; the API of TensorFlow 1 had them."""


@dataclass(frozen=True)
class Verdict:
    """Which TensorFlow a program is for.

    Attributes:
        version: None if it imports no TensorFlow.
        reason: file, line and name that decided, as one line.
        certain: such a name decided, or the user did.
        uses_keras_3: it imports `keras`, or names what only Keras 3 has in `tf.keras`.
    """

    version: TensorFlowVersion | None
    reason: str
    certain: bool = True
    uses_keras_3: bool = False


@dataclass(frozen=True, order=True)
class _Evidence:
    file: Path
    line: int
    what: str


def judge(program: ProgramSources, *, asked: TensorFlowVersion | None = None) -> Verdict:
    """Decides by the names that only one of the two has.

    Args:
        asked: what the user said; it is taken as it is.
    """
    keras_3 = any(_keras_3_names(source) for source in program.sources)
    if asked is not None:
        return Verdict(asked, f"runs as a TensorFlow {asked} program: --tf {asked}", uses_keras_3=keras_3)
    uses = [use for source in program.sources for use in tensorflow_uses(source)]
    one = [
        evidence for source in program.sources for evidence in _evidence_of_one(source, imports_tensorflow=bool(uses))
    ]
    two = [_Evidence(use.file, use.line, f"tf.{use.name}") for use in uses if _era(use) is Era.TWO]
    if not uses and not one:
        return Verdict(None, "imports no TensorFlow", uses_keras_3=keras_3)
    if not one and not two:
        reason = "is a TensorFlow 2 program: it uses no name that only TensorFlow 1 has"
        return Verdict(2, reason, certain=False, uses_keras_3=keras_3)
    version: TensorFlowVersion = 1 if len(one) > len(two) else 2
    winners, others = (one, two) if version == 1 else (two, one)
    first = min(found for found in winners if found.file == winners[0].file)
    mixed = f", against {len(others)} of TensorFlow {3 - version}: --tf decides otherwise" if others else ""
    count = f"{len(winners)} such uses" if len(winners) > 1 else "one such use"
    reason = f"is a TensorFlow {version} program: {first.file.name}, line {first.line}: {first.what} ({count}{mixed})"
    return Verdict(version, reason, uses_keras_3=keras_3)


def _evidence_of_one(source: Source, *, imports_tensorflow: bool) -> Iterator[_Evidence]:
    for use in tensorflow_uses(source):
        if _era(use) is Era.ONE:
            yield _Evidence(source.path, use.line, f"tf.{use.name}")
    yield from _moxing(source)
    if not imports_tensorflow:
        return
    for line, method in methods(source, api_names().dataset_methods):
        yield _Evidence(source.path, line, f"Dataset.{method}")
    if source.conversion.leftovers:
        first = source.conversion.leftovers[0]
        yield _Evidence(source.path, first.line, f"Python 2 ({first.what})")


def _moxing(source: Source) -> Iterator[_Evidence]:
    for line, name in other_imports(source):
        if name.startswith("moxing.tensorflow"):
            yield _Evidence(source.path, line, "import moxing.tensorflow")


def _era(use: Use) -> Era:
    root = use.name.split(".")[0]
    if root in _ONLY_IN_ONE:
        return Era.ONE
    if use.name.startswith("python.keras"):
        return Era.ONE
    if root == "keras" and use.name.split(".")[1:2] and use.name.split(".")[1] in api_names().keras_3:
        return Era.TWO
    return api_names().era(use.name)[0]


def _keras_3_names(source: Source) -> bool:
    if any(name.split(".")[0] == "keras" for _, name in other_imports(source)):
        return True
    uses = (use.name.split(".") for use in tensorflow_uses(source))
    return any(name[0] == "keras" and name[1] in api_names().keras_3 for name in uses if len(name) > 1)
