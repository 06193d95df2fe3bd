"""A comparison as a table: one row for each model, the best values marked, differences to the baseline beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runyard.runner.evaluation.comparison import Comparison, EvaluatedModel

_MARK = "*"
_BETWEEN_COLUMNS = 3


@dataclass(frozen=True)
class ComparisonTable:
    """Cells as text.

    Args:
        best: (row, column) of the best values, where there are several to choose from.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]]
    legend: str

    @property
    def marked_rows(self) -> list[list[str]]:
        """The rows with a mark on the best values."""
        return [
            [f"{cell}{_MARK}" if (row, column) in self.best else cell for column, cell in enumerate(cells)]
            for row, cells in enumerate(self.rows)
        ]

    def parts(self, *, width: int | None) -> list[tuple[list[str], list[list[str]]]]:
        """Headings and marked rows of tables that are no wider than the terminal, each with the names of the models.

        Args:
            width: None for one table, however wide.
        """
        lines = [list(self.columns), *self.marked_rows]
        widths = [max(map(len, cells)) + _BETWEEN_COLUMNS for cells in zip(*lines, strict=True)]
        kept: list[list[int]] = [[]]
        for column in range(1, len(widths)):
            taken = widths[0] + sum(widths[other] for other in kept[-1]) + _BETWEEN_COLUMNS
            if width is not None and kept[-1] and taken + widths[column] > width:
                kept.append([])
            kept[-1].append(column)
        tables = [[[line[column] for column in (0, *columns)] for line in lines] for columns in kept]
        return [(table[0], table[1:]) for table in tables]


def comparison_table(comparison: Comparison) -> ComparisonTable:
    names = comparison.metric_names
    baseline = next((model for model in comparison.models if model.name == comparison.baseline), None)
    if len(comparison.models) < 2:
        baseline = None
    best = frozenset(
        (row, column) for column, name in enumerate(names, start=1) for row in _best_rows(comparison, name)
    )
    rows = [
        [_model_name(model, baseline=baseline), *(_cell(model, name, baseline=baseline) for name in names)]
        for model in comparison.models
    ]
    said = [f"{_MARK} best"] if best else []
    said += [f"in brackets: difference to {baseline.name}"] if baseline else []
    return ComparisonTable(["model", *names], rows, best, "; ".join(said))


def _model_name(model: EvaluatedModel, *, baseline: EvaluatedModel | None) -> str:
    return f"{model.name} (baseline)" if model is baseline else model.name


def _cell(model: EvaluatedModel, name: str, *, baseline: EvaluatedModel | None) -> str:
    value: Any = model.metrics.get(name)
    compared: Any = baseline.metrics.get(name) if baseline and baseline is not model else None
    if _is_number(value) and _is_number(compared):
        return f"{_shown(value)} ({value - compared:+.4g})"
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return "" if value is None else f"{value:.6g}"


def _best_rows(comparison: Comparison, name: str) -> list[int]:
    direction = comparison.direction(name)
    values: dict[int, Any] = {row: model.metrics.get(name) for row, model in enumerate(comparison.models)}
    distances = {row: direction.distance(value) for row, value in values.items() if direction and _is_number(value)}
    if len(distances) < 2:
        return []
    return [row for row, distance in distances.items() if distance == min(distances.values())]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
