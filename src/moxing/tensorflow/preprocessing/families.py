"""The ways of preprocessing, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from moxing.tensorflow.preprocessing import cifarnet, inception, lenet, vgg
from moxing.tensorflow.preprocessing.keys import PreprocessingKeys


@dataclass(frozen=True)
class Preprocessing:
    """One way to prepare images.

    Attributes:
        augmented: one image of another size, with values from 0 to 255 as before; for `input_fn`.
        normalized: a batch as the network wants it; part of the model.
    """

    augmented: Callable[..., Any]
    normalized: Callable[[Any], Any]


FAMILIES = {
    PreprocessingKeys.VGG: Preprocessing(vgg.augmented, vgg.normalized),
    PreprocessingKeys.INCEPTION: Preprocessing(inception.augmented, inception.normalized),
    PreprocessingKeys.CIFARNET: Preprocessing(cifarnet.augmented, cifarnet.normalized),
    PreprocessingKeys.LENET: Preprocessing(lenet.augmented, lenet.normalized),
    PreprocessingKeys.PVANET: Preprocessing(vgg.augmented, vgg.normalized),
}
