"""What `mox.get_model_fn` does around a network."""

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
import tf_slim as slim

import moxing.tensorflow as mox
from moxing.tensorflow.nets import resnet_v1
from moxing.tensorflow.nets.images import default_preprocess_fn, prepared
from moxing.tensorflow.nets.resnext import separate_paths
from moxing.tensorflow.nets.table import NETWORKS
from moxing.tensorflow.preprocessing.image_size import Size

PICTURES = np.random.RandomState(0).randint(0, 256, (2, 40, 30, 3)).astype(np.uint8)


def prepared_values(images: Any, mode: str = mox.ModeKeys.EVAL, **arguments: Any) -> Any:
    usual: dict[str, Any] = {
        "preprocess_fn": default_preprocess_fn,
        "preprocessing": mox.PreprocessingKeys.VGG,
        "data_format": "NHWC",
        "size": None,
    }
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(prepared(tf.constant(images), mode, **{**usual, **arguments}))


def test_images_are_normalised_as_the_network_wants_it() -> None:
    np.testing.assert_allclose(prepared_values(PICTURES), PICTURES - np.array([123.68, 116.78, 103.94]), atol=1e-4)
    inception = prepared_values(PICTURES, preprocessing=mox.PreprocessingKeys.INCEPTION)
    np.testing.assert_allclose(inception, PICTURES / 127.5 - 1, atol=1e-6)
    lenet = prepared_values(PICTURES, preprocessing=mox.PreprocessingKeys.LENET)
    np.testing.assert_allclose(lenet, (PICTURES - 128.0) / 128, atol=1e-6)
    each = prepared_values(PICTURES, preprocessing=mox.PreprocessingKeys.CIFARNET)
    np.testing.assert_allclose(each.mean((1, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(each.std((1, 2, 3)), 1, atol=1e-5)


def test_half_precision_stays_what_it_is() -> None:
    assert prepared_values(PICTURES.astype(np.float16)).dtype == np.float16


@pytest.mark.parametrize(
    ("mode", "shape"), [("TRAIN", (40, 30)), ("EVAL", (40, 30)), ("PREDICT", (8, 9)), ("EXPORT", (8, 9))]
)
def test_images_are_brought_to_the_size_in_predict_and_export(mode: str, shape: tuple[int, int]) -> None:
    assert prepared_values(PICTURES, mode, size=Size(8, 9)).shape == (2, *shape, 3)


def test_no_preprocessing_leaves_images_alone() -> None:
    np.testing.assert_array_equal(prepared_values(PICTURES, preprocess_fn=None), PICTURES)


def test_own_preprocessing_gets_images_and_mode() -> None:
    seen: list[str] = []

    def halved(images: Any, run_mode: str, *_: Any) -> Any:
        seen.append(run_mode)
        return tf.cast(images, tf.float32) / 2

    np.testing.assert_array_equal(prepared_values(PICTURES, preprocess_fn=halved), PICTURES / 2)
    assert seen == ["EVAL"]


def test_channels_first_from_own_preprocessing_reach_the_layers_last() -> None:
    def channels_first(images: Any, run_mode: str) -> Any:
        return tf.transpose(images, [0, 3, 1, 2])

    values = prepared_values(PICTURES, preprocess_fn=channels_first, data_format="NCHW")
    np.testing.assert_array_equal(values, PICTURES)
    first = PICTURES.transpose(0, 3, 1, 2)
    assert prepared_values(first, "PREDICT", preprocess_fn=None, data_format="NCHW", size=Size(8, 9)).shape == (
        2,
        8,
        9,
        3,
    )


def test_all_modes_share_their_variables() -> None:
    with tf.Graph().as_default(), tf.variable_scope("", reuse=tf.AUTO_REUSE):
        names: list[set[str]] = []
        for mode in ("TRAIN", "EVAL", "PREDICT", "EXPORT"):
            mox.get_model_fn("resnet_v1_20", mode, 10, image_height=32, image_width=32)(tf.zeros([2, 32, 32, 3]))
            names.append({one.name for one in tf.global_variables()})
        assert names[0] == names[3]
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert len(updates) == 2 * 19


def test_only_training_drops_values_out_and_updates_statistics() -> None:
    def kinds(mode: str) -> set[str]:
        with tf.Graph().as_default() as graph:
            mox.get_model_fn("mobilenet_v1_025", mode, 10, batch_norm_fused=True, dropout_keep_prob=0.5)(
                tf.zeros([2, 32, 32, 3])
            )
            return {one.type for one in graph.get_operations()}

    assert {"AssignSubVariableOp", "RandomUniform"} <= kinds("TRAIN") - kinds("EVAL")


def test_weight_decay_is_a_loss_for_every_weight() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        mox.get_model_fn("lenet", "TRAIN", 10, weight_decay=0.5)(tf.zeros([1, 28, 28, 1]))
        losses = mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        weights = [one for one in tf.trainable_variables() if one.op.name.endswith("weights")]
        session.run(tf.global_variables_initializer())
        expected = [0.25 * np.square(value).sum() for value in session.run(weights)]
        np.testing.assert_allclose(session.run(losses), expected, rtol=1e-4)
    with tf.Graph().as_default():
        mox.get_model_fn("lenet", "TRAIN", 10)(tf.zeros([1, 28, 28, 1]))
        assert mox.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == []


@pytest.mark.parametrize("name", ["resnet_v1_20", "mobilenet_v1_025"])
def test_batch_normalisation_is_fused_when_asked_for(name: str) -> None:
    def kinds(*, fused: bool) -> set[str]:
        with tf.Graph().as_default() as graph:
            mox.get_model_fn(name, "EVAL", 10, batch_norm_fused=fused)(tf.zeros([2, 32, 32, 3]))
            return {one.type for one in graph.get_operations()}

    assert "FusedBatchNormV3" not in kinds(fused=False)
    assert "FusedBatchNormV3" in kinds(fused=True)


def test_inception_v3_is_not_fused_of_its_own_accord() -> None:
    layers = NETWORKS["inception_v3"].layers(0.1)
    assert all("fused" not in arguments.get("normalizer_params", {}) for arguments in layers.values())
    assert any("normalizer_params" in arguments for arguments in layers.values())


def test_half_precision_computes_in_half_and_stores_in_full() -> None:
    """The documented way of mixed precision, with and without fusing."""
    for fused in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            network = mox.get_model_fn("mobilenet_v1_025", "TRAIN", 10, batch_norm_fused=fused)
            with mox.var_scope(force_dtype=tf.float32):
                logits, _ = network(tf.zeros([2, 32, 32, 3], tf.float16))
            assert logits.dtype == tf.float16
            assert {one.dtype for one in tf.global_variables()} == {tf.float32}
            session.run(tf.global_variables_initializer())
            assert np.isfinite(session.run(logits)).all()


def test_batch_renormalisation_has_its_own_statistics() -> None:
    with tf.Graph().as_default():
        mox.get_model_fn("mobilenet_v1_025", "EVAL", 10, batch_renorm=True)(tf.zeros([2, 32, 32, 3]))
        names = {one.op.name for one in tf.global_variables()}
    assert "MobilenetV1/Conv2d_0/BatchNorm/renorm_mean" in names


@pytest.mark.parametrize("stride", [1, 2])
def test_both_forms_of_resnext_are_the_same_function(stride: int) -> None:
    values = np.random.RandomState(0).uniform(-1, 1, (2, 8, 8, 64)).astype(np.float32)
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        slim.arg_scope(resnet_v1.layers(0.1)),
        tf.variable_scope("unit", reuse=tf.AUTO_REUSE),
    ):
        forms = [separate_paths(tf.constant(values), stride, one_convolution=one) for one in (True, False)]
        session.run(tf.global_variables_initializer())
        grouped, many = session.run(forms)
        assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
    np.testing.assert_allclose(grouped, many, atol=1e-5)
    assert grouped.shape == (2, 8 // stride, 8 // stride, 64)
    assert grouped.max() > 0
