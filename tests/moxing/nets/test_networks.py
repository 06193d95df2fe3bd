"""Every network is the published one: its sizes, the names of its variables, the number of its parameters."""

import dataclasses
import math
import re

import pytest
import tensorflow.compat.v1 as tf
import tf_slim as slim
import tf_slim.nets.resnet_v1
import tf_slim.nets.resnet_v2

import moxing.tensorflow as mox
from moxing.tensorflow.nets.table import NETWORKS
from tests.moxing.nets.graphs import built

DEEPEST = {f"resnet_v{version}_{depth}" for version in (1, 2) for depth in (101, 152, 200)}
LARGE = {"nasnet_large", "pnasnet_large", "pnasnet_mobile", "nasnet_cifar"}
LARGE |= {"resnext_b_101", "resnext_c_101", "resnet_v1_110", "mobilenet_v1_075", "mobilenet_v1_050"}
"""More or fewer of the parts that others have, too."""

PARAMETERS = {
    "lenet": (3_274_634, 10, 1024),
    "cifarnet": (1_756_426, 10, 192),
    "resnet_v1_20": (269_722, 10, 64),
    "alexnet_v2": (50_303_912, 1000, 4096),
    "overfeat": (145_704_424, 1000, 4096),
    "vgg_a": (132_863_336, 1000, 4096),
    "vgg_16": (138_357_544, 1000, 4096),
    "vgg_19": (143_667_240, 1000, 4096),
    "resnet_v1_18": (11_689_512, 1000, 512),
    "resnet_v1_50": (25_557_032, 1000, 2048),
    "resnet_v1_50_8k": (25_557_032, 1000, 2048),
    "resnext_b_50": (25_028_904, 1000, 2048),
    "resnext_c_50": (25_028_904, 1000, 2048),
    "mobilenet_v1": (4_231_976, 1000, 1024),
    "mobilenet_v2": (3_504_872, 1000, 1280),
    "nasnet_mobile": (5_289_978, 1000, 1056),
    "inception_v3": (23_834_568, 1000, 2048),
    "inception_v4": (42_679_816, 1000, 1536),
    "inception_resnet_v2": (55_843_464, 1000, 1536),
}
"""The published number, the classes and the inputs of the last layer that it counts. Auxiliary logits are left out."""

NAMES = {
    "lenet": {"LeNet/conv1/weights": (5, 5, 1, 32), "LeNet/fc4/biases": (10,)},
    "cifarnet": {"CifarNet/fc3/weights": (4096, 384), "CifarNet/logits/weights": (192, 10)},
    "vgg_16": {"vgg_16/conv5/conv5_3/biases": (512,), "vgg_16/fc8/weights": (1, 1, 4096, 10)},
    "vgg_16_bn": {"vgg_16_bn/conv1/conv1_1/BatchNorm/gamma": (64,), "vgg_16_bn/fc6/weights": (7, 7, 512, 4096)},
    "resnet_v1_50": {
        "resnet_v1_50/conv1/weights": (7, 7, 3, 64),
        "resnet_v1_50/block1/unit_1/bottleneck_v1/shortcut/BatchNorm/moving_variance": (256,),
        "resnet_v1_50/block4/unit_3/bottleneck_v1/conv2/weights": (3, 3, 512, 512),
        "resnet_v1_50/logits/biases": (10,),
    },
    "resnet_v2_50": {"resnet_v2_50/postnorm/beta": (2048,)},
    "inception_v1": {"InceptionV1/Mixed_5b/Branch_2/Conv2d_0a_3x3/weights": (3, 3, 32, 128)},
    "inception_v3": {
        "InceptionV3/Mixed_7c/Branch_1/Conv2d_0c_3x1/weights": (3, 1, 384, 384),
        "InceptionV3/AuxLogits/Conv2d_2b_1x1/weights": (1, 1, 768, 10),
    },
    "inception_v4": {
        "InceptionV4/Mixed_4a/Branch_1/Conv2d_0b_1x7/weights": (1, 7, 64, 64),
        "InceptionV4/Mixed_6h/Branch_2/Conv2d_0e_1x7/weights": (1, 7, 224, 256),
        "InceptionV4/Mixed_7d/Branch_2/Conv2d_0e_3x1/BatchNorm/beta": (256,),
        "InceptionV4/AuxLogits/Conv2d_2a/weights": (5, 5, 128, 768),
        "InceptionV4/AuxLogits/Aux_logits/weights": (768, 10),
        "InceptionV4/Logits/Logits/weights": (1536, 10),
    },
    "inception_resnet_v2": {
        "InceptionResnetV2/Repeat/block35_10/Branch_2/Conv2d_0c_3x3/weights": (3, 3, 48, 64),
        "InceptionResnetV2/Repeat_1/block17_20/Conv2d_1x1/biases": (1088,),
        "InceptionResnetV2/Block8/Branch_1/Conv2d_0c_3x1/weights": (3, 1, 224, 256),
        "InceptionResnetV2/AuxLogits/Conv2d_2a_5x5/weights": (5, 5, 128, 768),
        "InceptionResnetV2/Logits/Logits/weights": (1536, 10),
    },
    "nasnet_mobile": {
        "conv0/weights": (3, 3, 3, 32),
        "cell_stem_0/comb_iter_0/right/separable_7x7_2/depthwise_weights": (7, 7, 11, 1),
        "cell_stem_1/path2_conv/weights": (1, 1, 32, 11),
        "cell_11/comb_iter_4/left/bn_sep_3x3_2/gamma": (176,),
        "reduction_cell_1/beginning_bn/moving_mean": (176,),
        "final_layer/FC/weights": (1056, 10),
    },
    "mobilenet_v1_025": {
        "MobilenetV1/Conv2d_0/weights": (3, 3, 3, 8),
        "MobilenetV1/Conv2d_13_depthwise/depthwise_weights": (3, 3, 256, 1),
        "MobilenetV1/Conv2d_13_pointwise/BatchNorm/gamma": (256,),
        "MobilenetV1/Logits/Conv2d_1c_1x1/weights": (1, 1, 256, 10),
    },
    "mobilenet_v2_035": {"MobilenetV2/Conv/weights": (3, 3, 3, 16), "MobilenetV2/Conv_1/weights": (1, 1, 112, 1280)},
    "mobilenet_v2_140": {
        "MobilenetV2/expanded_conv/depthwise/depthwise_weights": (3, 3, 48, 1),
        "MobilenetV2/expanded_conv_16/expand/BatchNorm/moving_mean": (1344,),
        "MobilenetV2/expanded_conv_16/project/weights": (1, 1, 1344, 448),
        "MobilenetV2/Conv_1/weights": (1, 1, 448, 1792),
        "MobilenetV2/Logits/Conv2d_1c_1x1/biases": (10,),
    },
}
"""Some of the names in published checkpoints, with ten classes."""


@pytest.mark.parametrize("name", sorted(set(NETWORKS) - DEEPEST - LARGE))
def test_it_is_built_for_images_of_its_size(name: str) -> None:
    network = built(name)
    assert network.logits == (2, 10)
    assert network.decayed > 0
    pattern = mox.get_model_meta(name).default_logits_pattern
    of_classes = {variable for variable, shape in network.variables.items() if shape[-1] == 10}
    assert of_classes
    assert {variable for variable in of_classes if not re.search(pattern, variable)} == set()
    matched = [variable for variable in network.variables if re.search(pattern, variable)]
    assert len(matched) < 10 + len(of_classes)


@pytest.mark.parametrize("name", sorted(DEEPEST))
def test_the_deepest_are_those_of_slim(name: str) -> None:
    module = tf_slim.nets.resnet_v1 if "v1" in name else tf_slim.nets.resnet_v2
    assert NETWORKS[name].build is getattr(module, name)


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_it_has_the_published_number_of_parameters(name: str) -> None:
    published, classes, inputs = PARAMETERS[name]
    trained = {one: shape for one, shape in built(name).trained.items() if "aux" not in one.lower()}
    parameters = sum(math.prod(shape) for shape in trained.values())
    if name.startswith("inception"):  # the published numbers count a factor for every channel; TF-Slim's have none
        parameters += sum(shape[0] for one, shape in trained.items() if one.endswith("BatchNorm/beta"))
    assert parameters == published - (inputs + 1) * (classes - 10)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_its_variables_are_called_as_in_published_checkpoints(name: str) -> None:
    variables = built(name).variables
    assert {one: variables.get(one) for one in NAMES[name]} == NAMES[name]


@pytest.mark.parametrize("name", ["pnasnet_mobile", "nasnet_cifar"])
def test_a_small_network_of_such_cells_is_built_for_training(name: str) -> None:
    spec = NETWORKS[name]
    plan = dataclasses.replace(spec.options["plan"], cells=3, keep_path=0.5)
    fast = slim.arg_scope([slim.batch_norm], fused=True, updates_collections=[tf.GraphKeys.UPDATE_OPS])
    with tf.Graph().as_default(), slim.arg_scope(spec.layers(0.1)), fast:
        logits, points = spec.build(tf.zeros([2, 96, 96, 3]), 10, is_training=True, plan=plan)
        variables = {one.op.name: one.shape.as_list() for one in tf.global_variables()}
    assert logits.shape == points["AuxLogits"].shape == [2, 10]
    assert variables["aux_1/aux_logits/Conv/weights"][2:] == [128, 768]
    if name == "nasnet_cifar":
        assert variables["cell_0/cell_output/reduction_1/path_conv/weights"] == [1, 1, 96, 32]
        assert "reduction_cell_0/1x1/weights" in variables
    else:
        assert variables["cell_1/comb_iter_4/right/1x1/weights"] == [1, 1, 108, 108]
        assert not any(one.startswith("reduction_cell") for one in variables)


def test_the_units_of_pvanet_have_the_published_number_of_weights() -> None:
    """The paper's table: 2.4K, 11K + 2 x 9.8K, 44K + 3 x 39K, 247K + 3 x 205K, 573K + 3 x 418K."""
    units = {one: shape for one, shape in built("pvanet").trained.items() if "/conv" in one and one.endswith("weights")}
    assert sum(math.prod(shape) for shape in units.values()) == 2_884_336


def test_the_parts_of_the_large_ones_are_those_of_the_others() -> None:
    assert NETWORKS["resnet_v1_110"].options["units"] == 18
    assert NETWORKS["resnext_c_101"].options["third_block"] == NETWORKS["resnext_b_101"].options["third_block"] == 23
    assert [NETWORKS[f"mobilenet_v1_{width}"].options["width"] for width in ("075", "050", "025")] == [0.75, 0.5, 0.25]
    plans = {name: NETWORKS[name].options["plan"] for name in NETWORKS if "nasnet" in name}
    assert plans["nasnet_large"].normal == plans["nasnet_cifar"].normal == plans["nasnet_mobile"].normal
    assert plans["pnasnet_large"].normal == plans["pnasnet_mobile"].normal
    assert [plans[name].total for name in ("nasnet_cifar", "nasnet_large", "pnasnet_large")] == [20, 22, 14]


@pytest.mark.parametrize("name", ["inception_v3", "inception_v4", "inception_resnet_v2"])
def test_inceptions_have_auxiliary_logits(name: str) -> None:
    assert built(name).points["AuxLogits"].shape == [2, 10]
