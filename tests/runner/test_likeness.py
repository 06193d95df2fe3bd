"""What all workers of a training must have in common."""

import json
from dataclasses import asdict, replace

import pytest

from runyard.errors import ScriptError
from runyard.runner.likeness import Likeness, refuse_unlike
from runyard.training.workers import ALONE, Alone

KERNEL, BIAS = "00000/dense/kernel float32 (4, 3)", "00001/dense/bias float32 (3,)"
CHIEFS = Likeness([KERNEL, BIAS], ["loss", "auc"], ["val_loss", "val_auc"])


class Among(Alone):
    """The chief among others, who say what they have."""

    def __init__(self, *others: Likeness) -> None:
        self.size = 1 + len(others)
        self._others = [json.dumps(asdict(other)).encode() for other in others]

    def gather(self, data: bytes) -> list[bytes]:
        return [data, *self._others]


def test_workers_that_are_alike_or_alone_go_on() -> None:
    refuse_unlike(CHIEFS, workers=Among(CHIEFS, CHIEFS))
    refuse_unlike(CHIEFS, workers=ALONE)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            replace(CHIEFS, variables=[KERNEL, BIAS.replace("(3", "(5")]),
            "awf_create_model_fn makes another model on worker 2 than on worker 0: "
            "00001/dense/bias float32 (5,) instead of 00001/dense/bias float32 (3,)",
        ),
        (
            replace(CHIEFS, variables=[KERNEL, BIAS.replace("dense", "dense_of_pid_17")]),
            "00001/dense_of_pid_17/bias float32 (3,) instead of 00001/dense/bias float32 (3,)",
        ),
        (replace(CHIEFS, variables=[KERNEL]), "than on worker 0: 1 instead of 2 variables"),
        (
            replace(CHIEFS, validated=[]),
            "awf_create_val_dataset_fn makes other validation sets on worker 2 than on worker 0: "
            "nothing instead of val_loss, val_auc",
        ),
        (
            replace(CHIEFS, validated=["val_auc", "val_loss"]),
            "makes other validation sets on worker 2 than on worker 0: val_auc, val_loss instead of val_loss, val_auc",
        ),
        (
            replace(CHIEFS, measured=["loss"]),
            "makes other losses or metrics on worker 2 than on worker 0: loss instead",
        ),
    ],
)
def test_one_that_differs_is_named_with_what_differs(other: Likeness, words: str) -> None:
    with pytest.raises(ScriptError) as caught:
        refuse_unlike(CHIEFS, workers=Among(CHIEFS, other))
    assert words in caught.value.message
