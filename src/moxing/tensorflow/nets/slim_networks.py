"""The networks that TF-Slim brings along."""

from typing import Any

import tf_slim as slim
from tf_slim.nets import alexnet, inception, overfeat, resnet_v1, resnet_v2, vgg

from moxing.tensorflow.nets.keys import NetworkKeys as Net
from moxing.tensorflow.nets.spec import Build, NetworkSpec, network


def _of_any_size(build: Build) -> Build:
    """A network that keeps the height and width of its logits: larger images give several, whose mean is taken."""

    def built(images: Any, num_classes: int, **options: Any) -> tuple[Any, dict[str, Any]]:
        return build(images, num_classes, spatial_squeeze=False, **options)

    built.__wrapped__ = build  # pyright: ignore[reportFunctionMemberAccess]
    return built


def _inception_v3_layers(weight_decay: float) -> Any:
    """Its layers, without a mind of their own about fused batch normalisation."""
    layers = inception.inception_v3_arg_scope(weight_decay)
    layers[slim.arg_scope_func_key(slim.conv2d)]["normalizer_params"].pop("fused")
    return layers


SLIM_NETWORKS: dict[str, NetworkSpec] = {
    Net.ALEXNET_V2: network(_of_any_size(alexnet.alexnet_v2), alexnet.alexnet_v2_arg_scope),
    Net.OVERFEAT: network(_of_any_size(overfeat.overfeat), overfeat.overfeat_arg_scope),
    Net.VGG_A: network(_of_any_size(vgg.vgg_a), vgg.vgg_arg_scope),
    Net.VGG_16: network(_of_any_size(vgg.vgg_16), vgg.vgg_arg_scope),
    Net.VGG_19: network(_of_any_size(vgg.vgg_19), vgg.vgg_arg_scope),
    Net.INCEPTION_V1: network(_of_any_size(inception.inception_v1), inception.inception_v1_arg_scope),
    Net.INCEPTION_V2: network(_of_any_size(inception.inception_v2), inception.inception_v2_arg_scope),
    Net.INCEPTION_V3: network(_of_any_size(inception.inception_v3), _inception_v3_layers),
    Net.RESNET_V1_50: network(resnet_v1.resnet_v1_50, resnet_v1.resnet_arg_scope),
    Net.RESNET_V1_101: network(resnet_v1.resnet_v1_101, resnet_v1.resnet_arg_scope),
    Net.RESNET_V1_152: network(resnet_v1.resnet_v1_152, resnet_v1.resnet_arg_scope),
    Net.RESNET_V1_200: network(resnet_v1.resnet_v1_200, resnet_v1.resnet_arg_scope),
    Net.RESNET_V2_50: network(resnet_v2.resnet_v2_50, resnet_v2.resnet_arg_scope),
    Net.RESNET_V2_101: network(resnet_v2.resnet_v2_101, resnet_v2.resnet_arg_scope),
    Net.RESNET_V2_152: network(resnet_v2.resnet_v2_152, resnet_v2.resnet_arg_scope),
    Net.RESNET_V2_200: network(resnet_v2.resnet_v2_200, resnet_v2.resnet_arg_scope),
}
