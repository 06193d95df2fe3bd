"""The page: a table, then a section for each dataset and output."""

from collections.abc import Sequence

from runyard.reports.confusion import confusion
from runyard.reports.contents import ReportTable, ScoredOutput
from runyard.reports.figures import calibration_figure, histogram_figure, precision_recall_figure, roc_figure
from runyard.reports.matrix import matrix_figure
from runyard.reports.palette import ModelStyle, styles_of
from runyard.reports.rows import class_rows
from runyard.reports.style import style_sheet
from runyard.reports.summary import BinarySummary, summarise
from runyard.reports.wording import safe

# Nothing is loaded from anywhere, and no script runs, even if a name were to smuggle one in.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, *, table: ReportTable, scored: Sequence[ScoredOutput]) -> str:
    """The whole HTML."""
    styles = styles_of(output.model for output in scored)
    sections: dict[tuple[str, str], list[ScoredOutput]] = {}
    for output in scored:
        sections.setdefault((output.dataset, output.output), []).append(output)
    body = "".join(_section(*names, outputs=outputs, styles=styles) for names, outputs in sections.items())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>{style_sheet()}</style>\n</head>\n"
        f"<body>\n<h1><bdi>{safe(title)}</bdi></h1>\n{_table(table)}\n{body}</body>\n</html>\n"
    )


def _table(table: ReportTable) -> str:
    head = "".join(f'<th scope="col">{safe(column)}</th>' for column in table.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(text, best=(row, column) in table.best) for column, text in enumerate(cells)) + "</tr>\n"
        for row, cells in enumerate(table.rows)
    )
    below = "".join(f'<p class="note"><bdi>{safe(remark)}</bdi></p>\n' for remark in table.remarks)
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n{below}'
    )


def _cell(text: str, *, best: bool) -> str:
    mark = ' class="best" title="best"' if best else ""
    return f"<td{mark}><bdi>{safe(text)}</bdi></td>"


def _section(dataset: str, output: str, *, outputs: Sequence[ScoredOutput], styles: dict[str, ModelStyle]) -> str:
    binary = [summarise(each, style=styles[each.model]) for each in outputs if each.kind == "binary"]
    classes = [each for each in outputs if each.kind == "classes"]
    parts = [
        f"{safe(part)}: <bdi>{safe(name)}</bdi>" for part, name in (("dataset", dataset), ("output", output)) if name
    ]
    figures, remarks = _binary_figures(binary), _remarks(binary)
    for each in classes:
        figure, sentences = _matrix(each, style=styles[each.model])
        figures += figure
        remarks += sentences
    listed = f'<ul class="remarks">{"".join(remarks)}</ul>' if remarks else ""
    heading = " · ".join(parts) or "Plots"
    return f'<section>\n<h2>{heading}</h2>\n{listed}<div class="plots">\n{figures}</div>\n</section>\n'


def _binary_figures(models: Sequence[BinarySummary]) -> str:
    figures = [roc_figure(models), precision_recall_figure(models), calibration_figure(models)]
    figures += [histogram_figure(model) for model in models]
    return "".join(f"{figure}\n" for figure in figures if figure)


def _matrix(scored: ScoredOutput, *, style: ModelStyle) -> tuple[str, list[str]]:
    rows = class_rows(scored)
    if not len(rows.labels):
        return "", [_remark(scored.model, sentence) for sentence in (*rows.remarks, "There are no rows to show.")]
    figure = matrix_figure(scored.model, style=style, confusion=confusion(rows), weighted=rows.weights is not None)
    return f"{figure}\n", [_remark(scored.model, sentence) for sentence in rows.remarks]


def _remarks(models: Sequence[BinarySummary]) -> list[str]:
    return [_remark(model.model, sentence) for model in models for sentence in model.remarks]


def _remark(model: str, sentence: str) -> str:
    return f"<li><bdi>{safe(model)}</bdi>: {safe(sentence)}</li>"
