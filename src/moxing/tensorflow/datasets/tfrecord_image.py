"""Names that old scripts import from here."""

from typing import Any, NoReturn

from moxing.tensorflow.datasets.failures import WrongArgument
from moxing.tensorflow.datasets.tfrecord.image_dataset import ImageClassificationTFRecordDataset

__all__ = ["ImageClassificationTFRecordDataset", "ProgressiveImagenetDataset"]


def ProgressiveImagenetDataset(*_: Any, **__: Any) -> NoReturn:  # noqa: N802 - the name is that of scripts
    """A dataset whose images grow while a training goes on; there is another way to train like that.

    Raises:
        WrongArgument: always; it says which way.
    """
    raise WrongArgument(
        "ProgressiveImagenetDataset is not there: within one run all batches have one size",
        hint="call mox.run once for each size, with the same log_dir, a larger max_number_of_steps, and an input_fn"
        " that makes a mox.ImageClassificationTFRecordDataset with that image_size and batch_size: each goes on from"
        " the checkpoint of the one before",
    )
