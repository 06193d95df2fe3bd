"""All networks that can be built."""

from moxing.tensorflow.nets import cifarnet, inception_v4, lenet, mobilenet_v1, mobilenet_v2, nasnet, resnet_v1, vgg_bn
from moxing.tensorflow.nets.inception_resnet_v2 import inception_resnet_v2
from moxing.tensorflow.nets.keys import NetworkKeys as Net
from moxing.tensorflow.nets.pvanet import pvanet
from moxing.tensorflow.nets.resnet_cifar import resnet_cifar
from moxing.tensorflow.nets.resnext import resnext
from moxing.tensorflow.nets.slim_networks import SLIM_NETWORKS
from moxing.tensorflow.nets.spec import NetworkSpec, network


def _vgg(name: str, convolutions: tuple[int, ...]) -> dict[str, NetworkSpec]:
    return {name: network(vgg_bn.vgg_bn, vgg_bn.layers, scope=name, convolutions=convolutions)}


def _resnext(name: str, *, third_block: int, one_convolution: bool) -> dict[str, NetworkSpec]:
    fixed = {"scope": name, "third_block": third_block, "one_convolution": one_convolution}
    return {name: network(resnext, resnet_v1.layers, **fixed)}


NETWORKS: dict[str, NetworkSpec] = {
    **SLIM_NETWORKS,
    Net.LENET: network(lenet.lenet, lenet.layers),
    Net.CIFARNET: network(cifarnet.cifarnet, cifarnet.layers),
    Net.INCEPTION_V4: network(inception_v4.inception_v4, inception_v4.layers),
    Net.INCEPTION_RESNET_V2: network(inception_resnet_v2, inception_v4.layers),
    **_vgg(Net.VGG_A_BN, (1, 1, 2, 2, 2)),
    **_vgg(Net.VGG_16_BN, (2, 2, 3, 3, 3)),
    **_vgg(Net.VGG_19_BN, (2, 2, 4, 4, 4)),
    Net.RESNET_V1_18: network(resnet_v1.resnet_v1_18, resnet_v1.layers),
    Net.RESNET_V1_50_8K: network(resnet_v1.resnet_v1_50_8k, resnet_v1.layers),
    Net.RESNET_V1_20: network(resnet_cifar, resnet_v1.layers, scope=Net.RESNET_V1_20, units=3),
    Net.RESNET_V1_110: network(resnet_cifar, resnet_v1.layers, scope=Net.RESNET_V1_110, units=18),
    **_resnext(Net.RESNEXT_B_50, third_block=6, one_convolution=False),
    **_resnext(Net.RESNEXT_B_101, third_block=23, one_convolution=False),
    **_resnext(Net.RESNEXT_C_50, third_block=6, one_convolution=True),
    **_resnext(Net.RESNEXT_C_101, third_block=23, one_convolution=True),
    Net.MOBILENET_V1: network(mobilenet_v1.mobilenet_v1, mobilenet_v1.layers),
    Net.MOBILENET_V1_075: network(mobilenet_v1.mobilenet_v1, mobilenet_v1.layers, width=0.75),
    Net.MOBILENET_V1_050: network(mobilenet_v1.mobilenet_v1, mobilenet_v1.layers, width=0.5),
    Net.MOBILENET_V1_025: network(mobilenet_v1.mobilenet_v1, mobilenet_v1.layers, width=0.25),
    Net.MOBILENET_V2: network(mobilenet_v2.mobilenet_v2, mobilenet_v2.layers),
    Net.MOBILENET_V2_140: network(mobilenet_v2.mobilenet_v2, mobilenet_v2.layers, width=1.4),
    Net.PVANET: network(pvanet, resnet_v1.layers),
    Net.NASNET_CIFAR: network(nasnet.nasnet, nasnet.cifar_layers, plan=nasnet.NASNET_CIFAR),
    Net.NASNET_MOBILE: network(nasnet.nasnet, nasnet.layers, plan=nasnet.NASNET_MOBILE),
    Net.NASNET_LARGE: network(nasnet.nasnet, nasnet.layers, plan=nasnet.NASNET_LARGE),
    Net.PNASNET_MOBILE: network(nasnet.nasnet, nasnet.layers, plan=nasnet.PNASNET_MOBILE),
    Net.PNASNET_LARGE: network(nasnet.nasnet, nasnet.layers, plan=nasnet.PNASNET_LARGE),
    Net.MOBILENET_V2_035: network(mobilenet_v2.mobilenet_v2, mobilenet_v2.layers, width=0.35),
}
