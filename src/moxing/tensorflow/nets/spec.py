"""How a network is built."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Build = Callable[..., tuple[Any, dict[str, Any]]]
"""(images, num_classes, is_training=, further options) to the logits and, by name, what lies between."""


@dataclass(frozen=True)
class NetworkSpec:
    """The recipe of a network.

    Attributes:
        build: puts it on top of normalised images [batch, height, width, channels].
        layers: from the weight decay to TF-Slim's `arg_scope` for its layers.
        options: what is fixed for this network among the arguments of `build`.
    """

    build: Build
    layers: Callable[[float], Any]
    options: dict[str, Any]


def network(build: Build, layers: Callable[[float], Any], /, **options: Any) -> NetworkSpec:
    """A recipe in one line."""
    return NetworkSpec(build, layers, options)
