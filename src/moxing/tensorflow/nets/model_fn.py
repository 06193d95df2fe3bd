"""`mox.get_model_fn`: preprocessing and network in one function, so that an exported model has both."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.nets.arguments import check_arguments, check_exported, size_of
from moxing.tensorflow.nets.failures import UnknownNetworkOption, WrongImages
from moxing.tensorflow.nets.images import CHANNELS_LAST, default_preprocess_fn, prepared
from moxing.tensorflow.nets.meta import facts_of
from moxing.tensorflow.nets.spec import NetworkSpec
from moxing.tensorflow.nets.table import NETWORKS

_COMMON = ("inputs", "images", "num_classes", "is_training", "reuse", "scope", "spatial_squeeze")


def get_model_fn(
    name: str,
    run_mode: str,
    num_classes: int,
    weight_decay: float = 0.0,
    data_format: str = CHANNELS_LAST,
    batch_norm_fused: bool = False,
    batch_renorm: bool = False,
    image_height: int | None = None,
    image_width: int | None = None,
    preprocess_fn: Callable[..., Any] | None = default_preprocess_fn,
    **kwargs: Any,
) -> Callable[[Any], tuple[Any, dict[str, Any]]]:
    """A function from images to logits [batch, num_classes] and, by name, what lies between (`end_points`).

    Args:
        name: of the network, one of `mox.NetworkKeys`.
        run_mode: TRAIN, EVAL, PREDICT or EXPORT. All use the same variables.
        num_classes: how many logits there are.
        weight_decay: of the weights; the losses are in the collection REGULARIZATION_LOSSES and added by nobody.
        data_format: where `preprocess_fn` puts the channels.
        batch_norm_fused: batch normalisation as one operation.
        batch_renorm: batch renormalisation (arXiv 1702.03275) instead.
        image_height: to which images are brought in PREDICT and EXPORT.
        image_width: likewise.
        preprocess_fn: `preprocess_fn(images, run_mode)`, instead of the network's own normalisation of images with
            values from 0 to 255; None for none.
        kwargs: options of the network, such as `dropout_keep_prob`.

    Raises:
        UnknownNetwork: a ValueError, for another name.
        WrongNetworkArguments: a ValueError, if an argument cannot be used; EXPORT needs height and width, unless the
            images tell.
        UnknownNetworkOption: a TypeError, if the network has no such option.
    """
    facts, spec = facts_of(name), NETWORKS[name]
    check_arguments(run_mode, num_classes, data_format, fused=batch_norm_fused, renorm=batch_renorm)
    size = size_of(image_height, image_width)
    _check_options(name, spec, kwargs)

    def model_fn(images: Any) -> tuple[Any, dict[str, Any]]:
        if run_mode == ModeKeys.EXPORT:
            check_exported(images, size)
        net = prepared(
            images,
            run_mode,
            preprocess_fn=preprocess_fn,
            preprocessing=facts.preprocessing,
            data_format=data_format,
            size=size,
        )
        with (
            slim.arg_scope(spec.layers(weight_decay)),
            slim.arg_scope([slim.batch_norm], **_normalization(net.dtype, fused=batch_norm_fused, renorm=batch_renorm)),
            _quiet(),
            _tensors_compared_by_identity(),
        ):
            try:
                logits, points = spec.build(
                    net, num_classes, is_training=run_mode == ModeKeys.TRAIN, **{**spec.options, **kwargs}
                )
            except (TypeError, ValueError) as error:
                raise _explained(name, net, error) from None
        return _flat(logits, points)

    return model_fn


@contextmanager
def _tensors_compared_by_identity() -> Iterator[None]:
    """Layers put all variables of the graph into sets again and again: hashing them took a quarter of the time."""
    before = tf.Tensor._USE_EQUALITY
    tf.disable_tensor_equality()
    try:
        yield
    finally:
        if before:
            tf.enable_tensor_equality()


def _check_options(name: str, spec: NetworkSpec, given: dict[str, Any]) -> None:
    options = [
        one for one in inspect.signature(spec.build).parameters if one not in _COMMON and one not in spec.options
    ]
    wrong = [one for one in given if one not in options]
    if wrong:
        has = f"it has {', '.join(options)}" if options else "it has none"
        raise UnknownNetworkOption(f"the network {name!r} has no option {', '.join(wrong)}", hint=has)


def _explained(name: str, images: Any, error: Exception) -> Exception:
    """TensorFlow's word about images of a size that does not work, in ours."""
    _, height, width, channels = images.shape.as_list()
    usual = facts_of(name).image_size
    if None in (height, width, channels):
        return WrongImages(
            f"{name!r} cannot be built for images of shape {images.shape}: height, width and channels must be known",
            hint=f"tf.image.resize(images, [{usual}, {usual}]) and images.set_shape make them known",
        )
    if "negative" in str(error).lower():
        return WrongImages(
            f"images of {height}x{width} pixels are too small for {name!r}",
            hint=f"it was made for {usual}x{usual}; mox.get_model_meta({name!r}).default_image_size tells this",
        )
    return error


def _normalization(dtype: Any, *, fused: bool, renorm: bool) -> dict[str, Any]:
    """Arguments of TF-Slim's `batch_norm`.

    With a list of collections it uses operations of its own, which are built in half the time; without, a layer of
    Keras, which alone knows renormalisation and, without fusing, float16.
    """
    arguments: dict[str, Any] = {"fused": fused, "renorm": renorm}
    if fused or (not renorm and dtype == tf.float32):
        arguments["updates_collections"] = [tf.GraphKeys.UPDATE_OPS]
    return arguments


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps back what TensorFlow says about TF-Slim's use of old layers, which is no concern of the script."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"`(layer\.apply|tf\.layers\.\w+)` is deprecated")
        yield


def _flat(logits: Any, points: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Logits without height and width: the mean over the image, where it is large enough for several."""
    if logits.shape.rank == 4:
        flat = tf.reduce_mean(logits, [1, 2], name="logits_of_image")
        points = {key: flat if value is logits else value for key, value in points.items()}
        points |= {key: tf.nn.softmax(flat) for key in ("Predictions", "predictions") if key in points}
        logits = flat
    aux = points.get("AuxLogits")
    if aux is not None and aux.shape.rank == 4:
        points["AuxLogits"] = tf.reduce_mean(aux, [1, 2])
    return logits, points
