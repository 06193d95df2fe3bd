"""What happens to images before they reach a network, and to make training images more diverse."""

from moxing.tensorflow.preprocessing.augmentation import get_data_augmentation_fn
from moxing.tensorflow.preprocessing.keys import PreprocessingKeys

__all__ = ["PreprocessingKeys", "get_data_augmentation_fn"]
