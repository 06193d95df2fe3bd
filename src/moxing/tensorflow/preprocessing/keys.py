"""Which network's images are treated in which way."""

from typing import Final

_VGG: Final = "vgg_preprocessing"
_INCEPTION: Final = "inception_preprocessing"
_CIFARNET: Final = "cifarnet_preprocessing"
_LENET: Final = "lenet_preprocessing"
_PVANET: Final = "pvanet_preprocessing"


class PreprocessingKeys:
    """For each network the name of its preprocessing; `get_data_augmentation_fn` takes these and networks' names."""

    ALEXNET_V2: Final = _VGG
    CIFARNET: Final = _CIFARNET
    OVERFEAT: Final = _VGG
    INCEPTION: Final = _INCEPTION
    INCEPTION_V1: Final = _INCEPTION
    INCEPTION_V2: Final = _INCEPTION
    INCEPTION_V3: Final = _INCEPTION
    INCEPTION_V4: Final = _INCEPTION
    INCEPTION_RESNET_V2: Final = _INCEPTION
    LENET: Final = _LENET
    RESNET_V1_18: Final = _VGG
    RESNET_V1_50: Final = _VGG
    RESNET_V1_50_8K: Final = _VGG
    RESNET_V1_101: Final = _VGG
    RESNET_V1_152: Final = _VGG
    RESNET_V1_200: Final = _VGG
    RESNET_V2_50: Final = _VGG
    RESNET_V2_101: Final = _VGG
    RESNET_V2_152: Final = _VGG
    RESNET_V2_200: Final = _VGG
    RESNEXT_B_50: Final = _VGG
    RESNEXT_B_101: Final = _VGG
    RESNEXT_C_50: Final = _VGG
    RESNEXT_C_101: Final = _VGG
    VGG: Final = _VGG
    VGG_A: Final = _VGG
    VGG_16: Final = _VGG
    VGG_19: Final = _VGG
    VGG_A_BN: Final = _VGG
    VGG_16_BN: Final = _VGG
    VGG_19_BN: Final = _VGG
    PVANET: Final = _PVANET
    MOBILENET_V1: Final = _INCEPTION
    MOBILENET_V2: Final = _INCEPTION
    MOBILENET_V2_140: Final = _INCEPTION
    MOBILENET_V2_035: Final = _INCEPTION
    RESNET_V1_20: Final = _CIFARNET
    NASNET_CIFAR: Final = _CIFARNET
    RESNET_V1_110: Final = _CIFARNET
    NASNET_MOBILE: Final = _INCEPTION
    NASNET_LARGE: Final = _INCEPTION
    PNASNET_LARGE: Final = _INCEPTION
    PNASNET_MOBILE: Final = _INCEPTION
