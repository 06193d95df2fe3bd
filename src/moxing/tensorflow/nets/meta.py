"""What is known about each network without building it."""

from typing import NamedTuple

from moxing.tensorflow.nets.failures import UnknownNetwork
from moxing.tensorflow.nets.keys import NetworkKeys as Net
from moxing.tensorflow.optimizer.optimizers import choices

_LIKE_VGG = "vgg_preprocessing"
_LIKE_INCEPTION = "inception_preprocessing"
_LIKE_CIFARNET = "cifarnet_preprocessing"


class NetworkFacts(NamedTuple):
    """About one network.

    Attributes:
        image_size: height and width of the images that it was made for.
        labels_offset: 1 if its labels leave out ImageNet's label 0, "background".
        logits_pattern: what the names of the variables of its last layers match, and no others do.
        preprocessing: how its images are prepared.
    """

    image_size: int
    labels_offset: int
    logits_pattern: str
    preprocessing: str


class ModelMeta(NamedTuple):
    """What a script asks about a network."""

    default_image_size: int
    default_labels_offset: int
    default_logits_pattern: str


_VGG = NetworkFacts(224, 1, "fc8", _LIKE_VGG)
_RESNET = NetworkFacts(224, 1, "logits", _LIKE_VGG)
_CIFAR_RESNET = NetworkFacts(32, 0, "logits", _LIKE_CIFARNET)
_INCEPTION_299 = NetworkFacts(299, 0, "Logits", _LIKE_INCEPTION)
_INCEPTION_224 = NetworkFacts(224, 0, "Logits", _LIKE_INCEPTION)
_NASNET_PATTERN = "final_layer|aux_logits"

KNOWN_NETWORKS: dict[str, NetworkFacts] = {
    **dict.fromkeys([Net.ALEXNET_V2, Net.VGG_A, Net.VGG_16, Net.VGG_19], _VGG),
    **dict.fromkeys([Net.VGG_A_BN, Net.VGG_16_BN, Net.VGG_19_BN], _VGG),
    Net.OVERFEAT: _VGG._replace(image_size=231),
    **dict.fromkeys([Net.RESNET_V1_18, Net.RESNET_V1_50, Net.RESNET_V1_50_8K], _RESNET),
    **dict.fromkeys([Net.RESNET_V1_101, Net.RESNET_V1_152, Net.RESNET_V1_200], _RESNET),
    **dict.fromkeys([Net.RESNET_V2_50, Net.RESNET_V2_101, Net.RESNET_V2_152, Net.RESNET_V2_200], _RESNET),
    **dict.fromkeys([Net.RESNEXT_B_50, Net.RESNEXT_B_101, Net.RESNEXT_C_50, Net.RESNEXT_C_101], _RESNET),
    **dict.fromkeys([Net.RESNET_V1_20, Net.RESNET_V1_110], _CIFAR_RESNET),
    Net.CIFARNET: NetworkFacts(32, 0, "logits", _LIKE_CIFARNET),
    Net.LENET: NetworkFacts(28, 0, "fc4", "lenet_preprocessing"),
    **dict.fromkeys([Net.INCEPTION_V1, Net.INCEPTION_V2], _INCEPTION_224),
    **dict.fromkeys([Net.INCEPTION_V3, Net.INCEPTION_V4, Net.INCEPTION_RESNET_V2], _INCEPTION_299),
    **dict.fromkeys([Net.MOBILENET_V1, Net.MOBILENET_V1_075], _INCEPTION_224),
    **dict.fromkeys([Net.MOBILENET_V1_050, Net.MOBILENET_V1_025], _INCEPTION_224),
    **dict.fromkeys([Net.MOBILENET_V2, Net.MOBILENET_V2_140, Net.MOBILENET_V2_035], _INCEPTION_224),
    Net.NASNET_CIFAR: NetworkFacts(32, 0, _NASNET_PATTERN, _LIKE_CIFARNET),
    **dict.fromkeys([Net.NASNET_MOBILE, Net.PNASNET_MOBILE], NetworkFacts(224, 0, _NASNET_PATTERN, _LIKE_INCEPTION)),
    **dict.fromkeys([Net.NASNET_LARGE, Net.PNASNET_LARGE], NetworkFacts(331, 0, _NASNET_PATTERN, _LIKE_INCEPTION)),
    Net.PVANET: NetworkFacts(224, 1, "logits", "pvanet_preprocessing"),
}


def facts_of(name: str) -> NetworkFacts:
    """What is known about a network.

    Raises:
        UnknownNetwork: a ValueError, for another name.
    """
    facts = KNOWN_NETWORKS.get(name)
    if facts is None:
        raise UnknownNetwork(f"there is no network {name!r}", hint=choices(name, KNOWN_NETWORKS))
    return facts


def get_model_meta(name: str) -> ModelMeta:
    """The image size, the offset of labels and the pattern of the last layers' variables of a network.

    Raises:
        UnknownNetwork: a ValueError, for another name.
    """
    facts = facts_of(name)
    return ModelMeta(facts.image_size, facts.labels_offset, facts.logits_pattern)
