"""Divides a directory of images into several: for training, for evaluation."""

import random
from collections.abc import Mapping, Sequence

from moxing.framework import file
from moxing.framework.file.stores import Url, as_text
from moxing.tensorflow.datasets.failures import WrongArgument, WrongData
from moxing.tensorflow.datasets.folders import checked_folder
from moxing.tensorflow.datasets.raw.raw_metadata import DEFAULT_LABELS_FILE, ImageClassificationRawMetadata

_SEED = 0


def split_image_classification_dataset(
    split_spec: Mapping[str, float], src_dir: Url, dst_dir: Url, overwrite: bool = False
) -> None:
    """Copies the images in `src_dir/<label>/` to `dst_dir/<split>/<label>/`.

    Each label is divided by itself, and always in the same way. `labels.txt` is copied, too.

    Args:
        split_spec: the share of each split, such as `{"train": 0.8, "eval": 0.2}`.
        overwrite: replace splits that are there already.

    Raises:
        WrongArgument: if the shares are none, or a split would replace the source.
        WrongData: if there are no images, or a split is there already.
    """
    shares = _checked(split_spec)
    source, target = checked_folder(src_dir, what="src_dir"), as_text(dst_dir).rstrip("/")
    for split in shares:
        if f"{source}/".startswith(f"{target}/{split}/"):
            raise WrongArgument(
                f"src_dir {source} would be replaced by the split {split!r}", hint="give another dst_dir"
            )
        if file.exists(f"{target}/{split}") and not overwrite:
            raise WrongData(f"{target}/{split} exists already", hint="give overwrite=True, or another dst_dir")
    metadata = ImageClassificationRawMetadata(source)
    parts: dict[str, list[str]] = {split: [] for split in shares}
    of_labels: dict[int, list[str]] = {}
    for one in metadata.files:
        of_labels.setdefault(one.label, []).append(one.name)
    for names in of_labels.values():
        for split, chosen in _divided(names, shares).items():
            parts[split] += chosen
    for split, names in parts.items():
        _copy(source, f"{target}/{split}", names, labels=metadata.labels_list)


def _checked(split_spec: Mapping[str, float]) -> dict[str, float]:
    shares = {str(name): float(share) for name, share in split_spec.items()}
    if not shares or any(share <= 0 for share in shares.values()) or sum(shares.values()) > 1 + 1e-6:
        raise WrongArgument(
            f"split_spec: {dict(split_spec)} are no shares of a whole",
            hint="such as {'train': 0.8, 'eval': 0.2}: each above 0, together no more than 1",
        )
    return shares


def _divided(names: Sequence[str], shares: Mapping[str, float]) -> dict[str, list[str]]:
    """Shares in the order of `shares`, rounded so that all images are used where the shares add up to 1."""
    mixed = random.Random(_SEED).sample(list(names), len(names))
    parts: dict[str, list[str]] = {}
    begin, reached = 0, 0.0
    for split, share in shares.items():
        reached += share
        end = round(len(mixed) * reached)
        parts[split] = sorted(mixed[begin:end])
        begin = end
    return parts


def _copy(source: str, target: str, names: Sequence[str], *, labels: Sequence[str]) -> None:
    """A directory that is there is whole: it gets its name when everything has been copied."""
    unfinished = f"{target}.partial"
    if file.exists(unfinished):
        file.remove(unfinished, recursive=True)
    for label in labels:
        file.make_dirs(f"{unfinished}/{label}")
    if names:
        file.copy_parallel(source, unfinished, file_list=list(names), is_processing=False)
    if file.exists(f"{source}/{DEFAULT_LABELS_FILE}"):
        file.copy(f"{source}/{DEFAULT_LABELS_FILE}", f"{unfinished}/{DEFAULT_LABELS_FILE}")
    if file.exists(target):
        file.remove(target, recursive=True)
    file.rename(unfinished, target)
