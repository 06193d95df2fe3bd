"""`mox.get_data_augmentation_fn`: sizes, values, chance."""

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.preprocessing.families import FAMILIES

PICTURE = np.random.RandomState(0).randint(0, 256, (50, 70, 3)).astype(np.uint8)


def results(name: str, mode: str, *, image: Any = PICTURE, times: int = 1, **arguments: Any) -> list[Any]:
    """What comes out, of a picture whose size the graph does not know."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        given = tf.placeholder(tf.as_dtype(image.dtype), [None, None, image.shape[2]])
        changed = mox.get_data_augmentation_fn(name, mode, **arguments)(given)
        assert changed.shape.is_fully_defined()
        return [session.run(changed, {given: image}) for _ in range(times)]


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("mode", ["TRAIN", "EVAL", "PREDICT"])
def test_an_image_of_the_wanted_size_that_is_not_normalised(name: str, mode: str) -> None:
    first, second = results(name, mode, times=2, output_height=24, output_width=40)
    assert first.shape == (24, 40, 3)
    assert first.dtype == np.float32
    assert 60 < first.mean() < 200
    has_chance = mode == "TRAIN" and name != mox.PreprocessingKeys.LENET
    assert np.array_equal(first, second) is not has_chance


@pytest.mark.parametrize(
    ("name", "size"), [("resnet_v1_50", 224), ("inception_v3", 299), ("cifarnet", 32), ("lenet", 28)]
)
def test_the_size_is_the_networks_own_unless_given(name: str, size: int) -> None:
    assert results(name, "EVAL")[0].shape == (size, size, 3)


def test_the_middle_is_taken_when_not_training() -> None:
    image = np.zeros((512, 256, 3), np.uint8)
    image[128:384] = 200
    assert (results("vgg_16", "EVAL", image=image)[0] == 200).all()
    assert (results("lenet", "EVAL", image=image)[0] == 200).all()
    kept = results("inception_v3", "EVAL", image=image)[0][:, 0, 0]
    assert abs((kept == 200).mean() - 0.5 / 0.875) < 0.02


def test_small_images_are_enlarged_or_framed() -> None:
    image = np.full((5, 9, 1), 100, np.uint8)
    for mode in ("TRAIN", "EVAL"):
        assert results("resnet_v1_50", mode, image=image)[0].shape == (224, 224, 1)
        assert results("inception_v1", mode, image=image)[0].shape == (224, 224, 1)
        assert results("cifarnet", mode, image=image)[0].shape == (32, 32, 1)
    digit = results("lenet", "TRAIN", image=image)[0]
    assert digit.sum() == image.sum()


def test_options_change_what_is_cut_out() -> None:
    image = np.zeros((512, 512, 3), np.uint8)
    image[:256] = 255
    near = results("vgg_16", "EVAL", image=image, resize_side_min=1000)[0]
    assert np.array_equal(near[:100] == 255, np.ones((100, 224, 3), bool))
    full = results("inception_v3", "EVAL", image=image, central_fraction=1.0)[0]
    assert full.mean() == pytest.approx(127.5, abs=1)
    colours = results("inception_v3", "TRAIN", image=image, fast_mode=False)[0]
    assert 0 <= colours.min() <= colours.max() <= 255


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match=r"'resnet_v1_51'.*\n.*did you mean resnet_v1_50"):
        mox.get_data_augmentation_fn("resnet_v1_51", "TRAIN")
    with pytest.raises(ValueError, match=r"`output_height` is not given"):
        mox.get_data_augmentation_fn(mox.PreprocessingKeys.VGG, "TRAIN")
    with pytest.raises(ValueError, match=r"`output_width` is 0"):
        mox.get_data_augmentation_fn("vgg", "TRAIN", output_height=3, output_width=0)
    with pytest.raises(ValueError, match=r"`run_mode` is 'train'"):
        mox.get_data_augmentation_fn("vgg_16", "train")
    with pytest.raises(TypeError, match=r"no option resize_side\n.*it has resize_side_min, resize_side_max"):
        mox.get_data_augmentation_fn("vgg_16", "TRAIN", resize_side=3)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"before batches are made"):
        mox.get_data_augmentation_fn("vgg_16", "TRAIN")(tf.zeros([2, 9, 9, 3]))
