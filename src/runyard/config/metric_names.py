"""Metrics that would have one name: found in the job file, before there is a model."""

from collections.abc import Iterator, Sequence

from runyard.config.mistakes import Mistake
from runyard.config.problems import JsonPath, show_path
from runyard.config.specs import MetricSpec
from runyard.config.written_forms import MetricForms

_Output = str | int | None
"""The name or the position of an output; None for every output."""


def repeated_names(plain: MetricForms | None, weighted: MetricForms | None) -> list[Mistake]:
    """One mistake for each metric whose name another one has at the same output.

    Whether the output at a position is the one of a name is only known to the model; such a pair is left to it.
    """
    found: list[Mistake] = []
    seen: dict[str, list[tuple[_Output, JsonPath]]] = {}
    for path, output, spec in [*_metrics(plain, path=("metrics",)), *_metrics(weighted, path=("weighted_metrics",))]:
        others = seen.setdefault(spec.name, [])
        first = next((place for other, place in others if other is None or output is None or other == output), None)
        if first is not None:
            found.append(
                Mistake(
                    f"{show_path(first)} and {show_path(path)} are both called {spec.name!r}",
                    path=path,
                    hint=f'give one of them a name of its own: {{"type": "{spec.type}", "args": {{"name": ...}}}}',
                )
            )
        others.append((output, path))
    return found


def _metrics(forms: MetricForms | None, *, path: JsonPath) -> Iterator[tuple[JsonPath, _Output, MetricSpec]]:
    if forms is None:
        return
    yield from _listed(forms.every_output or (), output=None, path=path)
    for output, specs in (*enumerate(forms.in_order or ()), *(forms.by_output or {}).items()):
        yield from _listed(specs, output=output, path=(*path, output))


def _listed(
    specs: Sequence[MetricSpec], *, output: _Output, path: JsonPath
) -> Iterator[tuple[JsonPath, _Output, MetricSpec]]:
    for place, spec in enumerate(specs):
        yield (*path, place), output, spec
