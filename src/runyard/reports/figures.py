"""The plots of binary outputs. Each takes all the models of a section."""

import math
from collections.abc import Sequence

import numpy as np

from runyard.reports.bins import Calibration
from runyard.reports.curves import Curve
from runyard.reports.summary import BinarySummary
from runyard.reports.svg import Axis, Panel, drawing, text
from runyard.reports.wording import number, percent, safe

_WIDTH, _HEIGHT = 380.0, 320.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 44.0, 22.0, 12.0, 36.0
_PROBES = 40


def roc_figure(models: Sequence[BinarySummary]) -> str:
    """All ROC curves in one plot; empty if there is none."""
    panel = _panel(Axis(0, 1, "false positive rate"), Axis(0, 1, "true positive rate"))
    parts = [panel.axes(), panel.reference((0, 0), (1, 1), title="guessing: area 0.5")]
    areas: list[tuple[BinarySummary, str]] = []
    for model in models:
        if model.roc is not None:
            parts += _curve(panel, model, model.roc, x_name="false positive rate", y_name="true positive rate")
            areas.append((model, f"AUC {model.roc.area:.4f}"))
    return _figure("ROC curve", parts, legend=areas, note="Areas are exact, from all rows.") if areas else ""


def precision_recall_figure(models: Sequence[BinarySummary]) -> str:
    """All precision-recall curves in one plot; empty if there is none."""
    panel = _panel(Axis(0, 1, "recall"), Axis(0, 1, "precision"))
    parts = [panel.axes()]
    areas: list[tuple[BinarySummary, str]] = []
    for model in models:
        if model.precision_recall is not None:
            if not areas:
                share = model.positive_share
                parts.append(panel.reference((0, share), (1, share), title=f"guessing: precision {number(share)}"))
            parts += _curve(panel, model, model.precision_recall, x_name="recall", y_name="precision")
            areas.append((model, f"AP {model.precision_recall.area:.4f}"))
    note = "AP is the average precision. The dashed line is the share of positive rows."
    return _figure("Precision and recall", parts, legend=areas, note=note) if areas else ""


def calibration_figure(models: Sequence[BinarySummary]) -> str:
    """Predicted against observed, and below it how many rows stand behind each dot; empty if there are no rows."""
    drawn = [(model, model.calibration) for model in models if model.calibration is not None]
    drawn = [(model, points) for model, points in drawn if len(points.rows)]
    if not drawn:
        return ""
    top = _round_up(max(float(max(points.predicted.max(), points.observed.max())) for _, points in drawn))
    most = max(int(points.rows.max()) for _, points in drawn)
    panel = _panel(Axis(0, top, "mean predicted probability"), Axis(0, top, "share of positive rows"))
    parts = [panel.axes(), panel.reference((0, 0), (top, top), title="perfectly calibrated")]
    lanes = _HEIGHT + 6
    parts.append(text("axis start", _LEFT, lanes + 8, f"rows in each bin, {most:,} at most"))
    for number_of_lane, (model, points) in enumerate(drawn):
        lane = Panel(_LEFT, lanes + 14 + 18 * number_of_lane, panel.width, 14, panel.x, Axis(0, most))
        parts += _reliability(panel, lane, model, points)
    legend = [(model, f"error {points.error:.4f}") for model, points in drawn]
    note = "Bins of about as many rows each; the error is the mean distance from the dashed line."
    if logits := [model.model for model, points in drawn if points.from_logits]:
        note += f" Scores outside 0 to 1 are read as logits and shown after the sigmoid: {', '.join(logits)}."
    return _figure("Calibration", parts, legend=legend, note=note, height=lanes + 18 + 18 * len(drawn))


def histogram_figure(model: BinarySummary) -> str:
    """The scores of one model, by class; empty if there are no rows."""
    bins = model.histogram
    if bins is None or model.negative + model.positive == 0:
        return ""
    negative, positive = (part / part.sum() if part.sum() else part for part in (bins.negative, bins.positive))
    x, y = (
        Axis(bins.edges[0], bins.edges[-1], "score"),
        Axis(0, 1.04 * max(negative.max(), positive.max()), "share of the class", True),
    )
    panel = _panel(x, y)
    parts = [panel.axes()]
    for index, (low, high) in enumerate(zip(bins.edges, bins.edges[1:], strict=False)):
        title = (
            f"{model.model}: scores {number(low)} to {number(high)}\n"
            f"label 1: {number(bins.positive[index])} ({percent(positive[index])})\n"
            f"label 0: {number(bins.negative[index])} ({percent(negative[index])})"
        )
        parts.append(panel.bar(low, high, negative[index], css_class="negative", title=title))
        parts.append(panel.bar(low, high, positive[index], css_class=f"positive {model.style.css_class}", title=title))
    legend = (
        f'<ul class="legend"><li class="{model.style.css_class}"><i class="box"></i>'
        f"label 1: {number(model.positive)}</li>"
        f'<li><i class="box grey"></i>label 0: {number(model.negative)}</li></ul>'
    )
    return _framed(f"Scores of {model.model}", parts, below=legend)


def _curve(panel: Panel, model: BinarySummary, curve: Curve, *, x_name: str, y_name: str) -> list[str]:
    parts = [panel.line(curve.x, curve.y, style=model.style, title=model.model)]
    for index in np.unique(np.linspace(0, len(curve.x) - 1, _PROBES).astype(int)):
        x, y, threshold = float(curve.x[index]), float(curve.y[index]), float(curve.thresholds[index])
        rule = f"score ≥ {number(threshold)}" if math.isfinite(threshold) else "no row taken"
        title = f"{model.model}\n{rule}\n{x_name} {x:.4f}\n{y_name} {y:.4f}"
        parts.append(panel.spot(x, y, style=model.style, title=title, seen=False))
    return parts


def _reliability(panel: Panel, lane: Panel, model: BinarySummary, points: Calibration) -> list[str]:
    parts = [panel.line(points.predicted, points.observed, style=model.style, title=model.model), lane.base_line()]
    half = 0.006 * panel.x.high
    for predicted, observed, count in zip(points.predicted, points.observed, points.rows, strict=True):
        title = (
            f"{model.model}\n{count:,} rows\npredicted {number(float(predicted))}\nobserved {number(float(observed))}"
        )
        parts.append(panel.spot(predicted, observed, style=model.style, title=title, seen=True))
        css_class = f"positive {model.style.css_class}"
        parts.append(lane.bar(predicted - half, predicted + half, float(count), css_class=css_class, title=title))
    return parts


def _panel(x: Axis, y: Axis) -> Panel:
    return Panel(_LEFT, _TOP, _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM, x, y)


def _figure(
    name: str, parts: Sequence[str], *, legend: Sequence[tuple[BinarySummary, str]], note: str, height: float = _HEIGHT
) -> str:
    entries = "".join(
        f'<li class="{model.style.css_class}">{_swatch(model.style.dashes)}<bdi>{safe(model.model)}</bdi> '
        f"<b>{safe(value)}</b></li>"
        for model, value in legend
    )
    return _framed(
        name, parts, below=f'<ul class="legend">{entries}</ul><p class="note">{safe(note)}</p>', height=height
    )


def _framed(name: str, parts: Sequence[str], *, below: str, height: float = _HEIGHT) -> str:
    image = drawing(parts, width=_WIDTH, height=height, label=name)
    return f"<figure><figcaption>{safe(name)}</figcaption>{image}{below}</figure>"


def _swatch(dashes: str) -> str:
    """A short piece of a model's line."""
    pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
    line = f'<line class="curve" x1="0" y1="4" x2="24" y2="4"{pattern}/>'
    return f'<svg class="swatch" viewBox="0 0 24 8" aria-hidden="true">{line}</svg>'


def _round_up(value: float) -> float:
    """The end of an axis of probabilities."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return min(1.0, next(power * factor for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if power * factor >= value))
