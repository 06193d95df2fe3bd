"""What `accuracy` means: as in Keras, the shapes of label and output tell."""

from typing import Any


def accuracy_class(label: Any, output: Any) -> str:
    """The Keras metric class: binary, sparse categorical or categorical accuracy.

    An output of shape (B,) is binary; Keras takes the batch for classes there.
    """
    label_rank, output_rank = label.shape.rank, output.shape.rank
    if output_rank == 1 or output.shape[-1] == 1:
        return "BinaryAccuracy"
    if label_rank is not None and output_rank is not None and (label_rank < output_rank or label.shape[-1] == 1):
        return "SparseCategoricalAccuracy"
    return "CategoricalAccuracy"
