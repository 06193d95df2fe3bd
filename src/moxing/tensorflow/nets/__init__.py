"""Networks for images, with the variable names of TF-Slim, so that its published checkpoints load."""

from moxing.tensorflow.nets.keys import NetworkKeys
from moxing.tensorflow.nets.meta import get_model_meta
from moxing.tensorflow.nets.model_fn import get_model_fn

__all__ = ["NetworkKeys", "get_model_fn", "get_model_meta"]
