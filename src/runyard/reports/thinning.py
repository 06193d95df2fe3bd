"""A curve of millions of points as a few hundred that look the same."""

import numpy as np

_BUCKETS = 1000
_MOST_POINTS = 400


def columns_of_pixels(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The indices of the points that matter: of each narrow column the first, the last, the lowest and the highest.

    Columns are a thousandth of the axis, less than a pixel, so what is left out lies under what is drawn. Takes time
    in proportion to the number of points.

    Args:
        x: rising from 0 to 1.
    """
    if len(x) <= _BUCKETS:
        return np.arange(len(x))
    column = np.minimum((x * _BUCKETS).astype(np.int32), _BUCKETS - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    kept: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(x)], strict=True):
        part = y[start:end]
        kept += [start, start + int(part.argmin()), start + int(part.argmax()), end - 1]
    return np.unique(np.asarray(kept))


def corners(x: np.ndarray, y: np.ndarray, *, most: int = _MOST_POINTS) -> np.ndarray:
    """The indices of at most `most` points that draw the same line: corners stay, points between them go.

    A point goes if the line without it is nowhere farther away than the tolerance, which begins well below a pixel
    (Ramer, Douglas and Peucker's rule) and doubles until few enough are left.
    """
    tolerance = 0.0005
    while True:
        kept = _without_points_on_lines(x, y, tolerance=tolerance)
        if len(kept) <= most:
            return kept
        tolerance *= 2


def _without_points_on_lines(x: np.ndarray, y: np.ndarray, *, tolerance: float) -> np.ndarray:
    if len(x) <= 2:
        return np.arange(len(x))
    kept = {0, len(x) - 1}
    open_parts = [(0, len(x) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        distance = _distances(x[first : last + 1], y[first : last + 1])
        farthest = int(distance.argmax())
        if distance[farthest] > tolerance:
            middle = first + farthest
            kept.add(middle)
            open_parts += [(first, middle), (middle, last)]
    return np.asarray(sorted(kept))


def _distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far each point is from the segment between the first and the last."""
    run, rise = x[-1] - x[0], y[-1] - y[0]
    length = run * run + rise * rise
    along = np.clip(((x - x[0]) * run + (y - y[0]) * rise) / length, 0.0, 1.0) if length > 0 else np.zeros(len(x))
    return np.hypot(x - x[0] - along * run, y - y[0] - along * rise)
