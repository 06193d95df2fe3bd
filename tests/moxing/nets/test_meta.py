"""What is known about networks."""

import moxing.tensorflow as mox
from moxing.tensorflow.nets.meta import KNOWN_NETWORKS
from moxing.tensorflow.nets.table import NETWORKS


def test_the_documented_example() -> None:
    meta = mox.get_model_meta("resnet_v1_50")
    assert meta.default_image_size == 224
    assert meta.default_labels_offset == 1
    assert meta.default_logits_pattern == "logits"
    assert meta._fields == ("default_image_size", "default_labels_offset", "default_logits_pattern")


def test_every_key_is_a_network_that_can_be_built() -> None:
    keys = {key: value for key, value in vars(mox.NetworkKeys).items() if key.isupper()}
    assert len(keys) == 44
    assert {key.lower() for key in keys} == set(keys.values()) == set(KNOWN_NETWORKS) == set(NETWORKS)


def test_preprocessing_keys_and_networks_agree() -> None:
    keys = {key: value for key, value in vars(mox.PreprocessingKeys).items() if key.isupper()}
    assert len(keys) == 43
    of_networks = {key: value for key, value in keys.items() if key.lower() in KNOWN_NETWORKS}
    assert set(keys) - set(of_networks) == {"INCEPTION", "VGG"}
    assert {key: KNOWN_NETWORKS[key.lower()].preprocessing for key in of_networks} == of_networks


def test_offsets_follow_the_label_sets_of_the_checkpoints() -> None:
    offsets = {name: mox.get_model_meta(name).default_labels_offset for name in KNOWN_NETWORKS}
    assert offsets["lenet"] == offsets["inception_v3"] == offsets["mobilenet_v2"] == offsets["resnet_v1_110"] == 0
    assert offsets["vgg_16"] == offsets["resnet_v2_50"] == offsets["resnext_b_50"] == offsets["pvanet"] == 1
