"""Millions of scored rows as the few hundred numbers that are drawn."""

from dataclasses import dataclass

from runyard.reports.bins import Calibration, Histogram, calibration, histogram
from runyard.reports.contents import ScoredOutput
from runyard.reports.curves import Curve, precision_recall, rank, roc
from runyard.reports.palette import ModelStyle
from runyard.reports.rows import BinaryRows, binary_rows


@dataclass(frozen=True)
class BinarySummary:
    """What the plots show of one model.

    Args:
        rows: how many there are; `negative` and `positive` are their weights.
        roc: None unless both classes are there; the same for `precision_recall`.
        histogram: None if there are no rows; the same for `calibration`.
        remarks: what a reader must know about these rows.
    """

    model: str
    style: ModelStyle
    rows: int
    negative: float
    positive: float
    roc: Curve | None
    precision_recall: Curve | None
    histogram: Histogram | None
    calibration: Calibration | None
    remarks: tuple[str, ...]

    @property
    def positive_share(self) -> float:
        return self.positive / (self.negative + self.positive)


def summarise(scored: ScoredOutput, *, style: ModelStyle) -> BinarySummary:
    """Goes through the rows once; nothing of their size is kept."""
    rows = binary_rows(scored)
    if not len(rows.scores):
        remarks = (*rows.remarks, "There are no rows to show.")
        return BinarySummary(scored.model, style, 0, 0.0, 0.0, None, None, None, None, remarks)
    ranking = rank(rows)
    both = ranking.has_both_classes
    roc_curve, precision_recall_curve = (roc(ranking), precision_recall(ranking)) if both else (None, None)
    negative, positive = ranking.negatives, ranking.positives
    del ranking
    bins, reliability = histogram(rows), calibration(rows)
    return BinarySummary(
        model=scored.model,
        style=style,
        rows=len(rows.scores),
        negative=negative,
        positive=positive,
        roc=roc_curve,
        precision_recall=precision_recall_curve,
        histogram=bins,
        calibration=reliability,
        remarks=(*rows.remarks, *_remarks(rows, negative=negative, positive=positive, bins=bins)),
    )


def _remarks(rows: BinaryRows, *, negative: float, positive: float, bins: Histogram) -> list[str]:
    remarks: list[str] = []
    if negative + positive == 0:
        remarks.append("All weights are 0, so there is nothing to compare.")
    elif positive == 0 or negative == 0:
        only = 1 if positive else 0
        remarks.append(f"Every label is {only}: ROC and precision-recall curves need both classes.")
    if rows.scores.min() == rows.scores.max():
        remarks.append("Every score is the same.")
    if bins.outside:
        remarks.append(f"{bins.outside:,} scores far from the rest are counted in the outermost bars of the histogram.")
    return remarks
