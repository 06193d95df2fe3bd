"""A confusion matrix as a table."""

import numpy as np

from runyard.reports.confusion import Confusion
from runyard.reports.palette import ModelStyle
from runyard.reports.wording import number, percent, safe


def matrix_figure(model: str, *, style: ModelStyle, confusion: Confusion, weighted: bool) -> str:
    """Labels down, predictions across; each cell with its count and its share of the row."""
    names = [str(class_id) for class_id in confusion.classes] + (["other"] if confusion.left_out else [])
    totals = confusion.counts.sum(axis=1)
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{name}</th>{_cells(confusion.counts[index], names=names, row=index)}'
        f'<td class="total">{number(float(totals[index]))}</td></tr>'
        for index, name in enumerate(names)
    )
    return (
        f'<figure class="wide {style.css_class}"><figcaption><i class="box"></i><bdi>{safe(model)}</bdi>: '
        f"accuracy {number(confusion.accuracy)}</figcaption>"
        f'<div class="scroll"><table class="matrix"><thead><tr><th>label ↓ predicted →</th>{head}<th>rows</th></tr>'
        f'</thead><tbody>{rows}</tbody></table></div><p class="note">{_note(confusion, weighted=weighted)}</p></figure>'
    )


def _cells(counts: np.ndarray, *, names: list[str], row: int) -> str:
    total = counts.sum()
    cells: list[str] = []
    for column, count in enumerate(counts):
        share = float(count / total) if total else 0.0
        title = f"label {names[row]}, predicted {names[column]}: {number(float(count))} ({percent(share)} of the row)"
        right = " right" if row == column and names[row] != "other" else ""
        text = f"{number(float(count))}<small>{percent(share)}</small>" if count else "·"
        cells.append(f'<td class="cell{right}" style="--share:{100 * share:.0f}%" title="{title}">{text}</td>')
    return "".join(cells)


def _note(confusion: Confusion, *, weighted: bool) -> str:
    parts = [
        "Counts are sums of weights." if weighted else "Counts are rows.",
        "Percentages are shares of a label's row.",
    ]
    if confusion.left_out:
        parts.append(
            f"The {len(confusion.classes)} most frequent classes are shown; "
            f"{confusion.left_out:,} more are together in “other”."
        )
    return " ".join(parts)
