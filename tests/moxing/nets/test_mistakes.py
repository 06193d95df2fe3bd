"""What a script gets to read when it asks for something that cannot be."""

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox


def network(name: str = "lenet", run_mode: str = "TRAIN", num_classes: Any = 10, **arguments: Any) -> Any:
    return mox.get_model_fn(name, run_mode, num_classes, **arguments)


def test_a_wrong_name_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match=r"'resnet_v1_5'.*\n.*did you mean resnet_v1_50\? There are alexnet_v2"):
        network("resnet_v1_5")
    with pytest.raises(ValueError, match=r"did you mean inception_v3"):
        mox.get_model_meta("inceptionv3")


def test_an_export_needs_a_size_unless_the_images_have_one() -> None:
    documented = "`image_height` and `image_width` should be given to `mox.get_model_fn` when `run_mode` is"
    with tf.Graph().as_default():
        for shape in ([None, None, None, 1], [None, 28, None, 1]):
            with pytest.raises(ValueError) as error:
                network(run_mode="EXPORT")(tf.placeholder(tf.float32, shape))
            assert str(error.value).startswith(
                f"{documented} `mox.ModeKeys.EXPORT (When `export_model` is specified in `mox.run`)."
            )
            assert "default_image_size" in str(error.value)
        logits, _ = network(run_mode="EXPORT")(tf.placeholder(tf.float32, [None, 28, 28, 1]))
        assert logits.shape.as_list() == [None, 10]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"run_mode": "train"}, "`run_mode` is 'train'"),
        ({"num_classes": 0}, "`num_classes` is 0"),
        ({"num_classes": None}, "`num_classes` is None"),
        ({"data_format": "channels_last"}, "it is NHWC or NCHW"),
        ({"batch_norm_fused": True, "batch_renorm": True}, "cannot be fused"),
        ({"run_mode": "PREDICT", "image_height": 10}, "`image_width` is None"),
        ({"run_mode": "EXPORT", "image_width": 10}, "`image_height` is None"),
        ({"image_height": -1, "image_width": 5}, "`image_height` is -1"),
    ],
)
def test_wrong_values_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        network(**arguments)


def test_options_that_a_network_has_not_are_named() -> None:
    with pytest.raises(TypeError, match=r"'lenet' has no option depth\n.*it has dropout_keep_prob"):
        network(depth=3)
    with pytest.raises(TypeError, match=r"'resnext_c_50' has no option third_block\n.*it has none"):
        network("resnext_c_50", third_block=3)


@pytest.mark.parametrize("shape", [[784], [5, 784], [5, 28, 28]])
def test_images_have_four_dimensions(shape: list[int]) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"\[batch_size, height, width, C>0\]"):
        network()(tf.zeros(shape))


def test_inputs_instead_of_images_are_named() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"images are inputs\[0\]"):
        network()([tf.zeros([5, 28, 28, 1])])


def test_images_that_are_too_small_are_named() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"32x32 pixels are too small for 'vgg_16'\n.*224x224"),
    ):
        network("vgg_16")(tf.zeros([1, 32, 32, 3]))


def test_images_of_unknown_size_are_named_where_it_matters() -> None:
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.float32, [None, None, None, 3])
        with pytest.raises(ValueError, match=r"'lenet' cannot be built for images of shape.*must be known"):
            network()(unknown)
        logits, _ = network("resnet_v1_20", "EVAL")(unknown)
        assert logits.shape.as_list() == [None, 10]
