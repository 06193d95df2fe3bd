"""Whether the arguments of `mox.get_model_fn` can be used."""

from typing import Any

from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.nets.failures import WrongNetworkArguments
from moxing.tensorflow.nets.images import CHANNELS_FIRST, CHANNELS_LAST
from moxing.tensorflow.preprocessing.image_size import Size

_MODES = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT, ModeKeys.EXPORT)


def check_arguments(run_mode: Any, num_classes: Any, data_format: Any, *, fused: bool, renorm: bool) -> None:
    """Says what is wrong, if something is.

    Raises:
        WrongNetworkArguments: a ValueError.
    """
    if run_mode not in _MODES:
        raise WrongNetworkArguments(f"`run_mode` is {run_mode!r}", hint=f"it is one of {', '.join(_MODES)}")
    if not _is_positive(num_classes):
        raise WrongNetworkArguments(f"`num_classes` is {num_classes!r}; it must be a positive number")
    if data_format not in (CHANNELS_LAST, CHANNELS_FIRST):
        raise WrongNetworkArguments(f"`data_format` is {data_format!r}", hint="it is NHWC or NCHW")
    if fused and renorm:
        raise WrongNetworkArguments(
            "`batch_norm_fused` and `batch_renorm` are both True; batch renormalisation cannot be fused",
            hint="leave one of them out",
        )


def size_of(height: Any, width: Any) -> Size | None:
    """The size that images are brought to, if there is one.

    Raises:
        WrongNetworkArguments: a ValueError, if it is no size.
    """
    if height is None and width is None:
        return None
    for name, value in (("image_height", height), ("image_width", width)):
        if not _is_positive(value):
            raise WrongNetworkArguments(f"`{name}` is {value!r}; it must be a number of pixels")
    return Size(int(height or 0), int(width or 0))


def check_exported(images: Any, size: Size | None) -> None:
    """An exported network has images of one size: that which is asked for, or that which they have.

    Raises:
        WrongNetworkArguments: a ValueError, if there is neither.
    """
    if size is None and None in images.shape[1:3].as_list():
        raise WrongNetworkArguments(
            "`image_height` and `image_width` should be given to `mox.get_model_fn` when `run_mode` is"
            " `mox.ModeKeys.EXPORT (When `export_model` is specified in `mox.run`).",
            hint="mox.get_model_meta(name).default_image_size is the network's own",
        )


def _is_positive(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and value > 0
