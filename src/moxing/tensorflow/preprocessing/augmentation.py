"""`mox.get_data_augmentation_fn`: from an image as it was read to one that a network can take."""

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.nets.meta import KNOWN_NETWORKS
from moxing.tensorflow.optimizer.optimizers import choices
from moxing.tensorflow.preprocessing.failures import UnknownAugmentationOption, UnknownPreprocessing, WrongAugmentation
from moxing.tensorflow.preprocessing.families import FAMILIES
from moxing.tensorflow.preprocessing.image_size import Size

_COMMON = ("image", "size", "is_training")


def get_data_augmentation_fn(
    name: str, run_mode: str, output_height: int | None = None, output_width: int | None = None, **kwargs: Any
) -> Callable[[Any], Any]:
    """A function for `input_fn` that changes the geometry and, in TRAIN, the colours of one image.

    Values stay between 0 and 255: `get_model_fn` does the normalisation, so that an exported model has it.

    Args:
        name: a network, such as `resnet_v1_50`, or a preprocessing, such as `vgg_preprocessing` or `vgg`.
        run_mode: in TRAIN there is chance, in the other modes there is none.
        output_height: of the image it returns; the network's own if not given.
        output_width: likewise.
        kwargs: options of the preprocessing, such as `resize_side_min=256`.

    Raises:
        UnknownPreprocessing: a ValueError, for another name.
        WrongAugmentation: a ValueError, if mode or size cannot be used.
        UnknownAugmentationOption: a TypeError, if the preprocessing has no such option.
    """
    known = KNOWN_NETWORKS.get(name)
    key = known.preprocessing if known else name if name in FAMILIES else f"{name}_preprocessing"
    if key not in FAMILIES:
        raise UnknownPreprocessing(
            f"there is no data augmentation for {name!r}", hint=choices(name, [*KNOWN_NETWORKS, *FAMILIES])
        )
    modes = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT, ModeKeys.EXPORT)
    if run_mode not in modes:
        raise WrongAugmentation(f"`run_mode` is {run_mode!r}", hint=f"it is one of {', '.join(modes)}")
    usual = known.image_size if known else None
    size = Size(_length("output_height", output_height, usual), _length("output_width", output_width, usual))
    augmented = FAMILIES[key].augmented
    options = [option for option in inspect.signature(augmented).parameters if option not in _COMMON]
    wrong = [option for option in kwargs if option not in options]
    if wrong:
        has = f"it has {', '.join(options)}" if options else "it has none"
        raise UnknownAugmentationOption(f"{key} has no option {', '.join(wrong)}", hint=has)

    def augment(image: Any) -> Any:
        one = tf.cast(_checked(image), tf.float32)
        changed = augmented(one, size, is_training=run_mode == ModeKeys.TRAIN, **kwargs)
        changed.set_shape([*size, one.shape[2]])
        return changed

    return augment


def _length(argument: str, given: int | None, usual: int | None) -> int:
    length = usual if given is None else given
    if length is None:
        raise WrongAugmentation(
            f"`{argument}` is not given to mox.get_data_augmentation_fn",
            hint="give it, or the name of a network instead of a preprocessing",
        )
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise WrongAugmentation(f"`{argument}` is {given!r}; it must be a number of pixels")
    return length


def _checked(image: Any) -> Any:
    tensor = tf.convert_to_tensor(image)
    if tensor.shape.rank is None:
        tensor.set_shape([None, None, None])
    if tensor.shape.rank != 3:
        raise WrongAugmentation(
            f"data augmentation got a tensor of shape {tensor.shape}; it takes one image [height, width, channels]",
            hint="call it in input_fn, before batches are made",
        )
    return tensor
