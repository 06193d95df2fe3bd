"""Weights as histograms and as images."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.training.observers.event_file import EventFile

_MOST_PIXELS = 1_000_000


def write_histograms(file: EventFile, weights: Mapping[str, Any], *, step: int) -> None:
    for name, variable in weights.items():
        values = _numbers(variable)
        finite = values[np.isfinite(values)]
        if finite.size:
            file.histogram(f"{name}/histogram", finite, step=step)


def write_images(file: EventFile, weights: Mapping[str, Any], *, step: int) -> None:
    """Shows weights from black for the smallest to white for the largest. Huge ones are left out."""
    for name, variable in weights.items():
        if np.prod(variable.shape) <= _MOST_PIXELS:
            pixels = as_images(_numbers(variable))
            if pixels is not None:
                file.images(f"{name}/image", pixels, step=step)


def as_images(values: np.ndarray) -> np.ndarray | None:
    """Bytes as image, row, column, channel, arranged as Keras does; None for what no image can show.

    A vector is a line, a matrix lies on its long side, of three axes the last one counts images.
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return None
    low, high = finite.min(), finite.max()
    scaled = np.nan_to_num((values - low) / (high - low) if high > low else np.zeros_like(values), posinf=1.0)
    arranged = _arrange(np.squeeze((np.clip(scaled, 0, 1) * 255).round().astype(np.uint8)))
    return arranged if arranged.ndim == 4 and arranged.shape[-1] in (1, 3, 4) else None


def _arrange(pixels: np.ndarray) -> np.ndarray:
    if pixels.ndim <= 1:
        return pixels.reshape(1, 1, -1, 1)
    if pixels.ndim == 2:
        lying = pixels.T if pixels.shape[0] > pixels.shape[1] else pixels
        return lying[np.newaxis, :, :, np.newaxis]
    if pixels.ndim == 3:
        return pixels.transpose(2, 0, 1)[..., np.newaxis]
    return pixels


def _numbers(variable: Any) -> np.ndarray:
    """The values; none of a variable that holds no numbers."""
    if not (variable.dtype.is_floating or variable.dtype.is_integer or variable.dtype.is_bool):
        return np.array([])
    return np.asarray(tf.convert_to_tensor(variable)).astype(np.float64)
