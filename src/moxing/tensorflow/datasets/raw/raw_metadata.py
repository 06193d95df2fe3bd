"""What is known of a directory of images that has a sub-directory for each label."""

from dataclasses import dataclass

from moxing.framework import file
from moxing.framework.file.stores import Url
from moxing.tensorflow.datasets.failures import WrongData
from moxing.tensorflow.datasets.folders import checked_folder, names_in, some
from moxing.tensorflow.datasets.labels_file import consecutive, read_labels
from moxing.tensorflow.executor.lines import lines_shown, log_line

DEFAULT_LABELS_FILE = "labels.txt"


@dataclass(frozen=True)
class RawFile:
    """An image.

    Attributes:
        name: relative to the directory of the dataset.
    """

    name: str
    label: int


class ImageClassificationRawMetadata:
    """Images in `base_dir/<label>/`.

    Args:
        base_dir: the directory.
        redirect_dir: read the images from here; it has the same sub-directories and files.
        labels_filename: a file in `base_dir` with lines `<number>: <label>`. Without it, labels are numbered in
            alphabetical order.

    Attributes:
        total_num_samples: how many images there are.
        num_classes: how many labels there are.
        labels_list: the labels, in the order of their numbers.

    Raises:
        WrongData: if there is nothing, or `labels.txt` and the sub-directories differ.
    """

    def __init__(
        self, base_dir: Url, redirect_dir: Url | None = None, labels_filename: str = DEFAULT_LABELS_FILE
    ) -> None:
        self.base_dir = checked_folder(base_dir, what="base_dir")
        self.read_dir = self.base_dir if redirect_dir is None else checked_folder(redirect_dir, what="redirect_dir")
        self.labels_list = _labels(self.base_dir, labels_filename)
        self.num_classes = len(self.labels_list)
        self.labels_to_names = dict(enumerate(self.labels_list))
        self.names_to_labels = {name: label for label, name in self.labels_to_names.items()}
        self.files = [
            RawFile(f"{name}/{image}", label)
            for label, name in self.labels_to_names.items()
            for image in names_in(f"{self.base_dir}/{name}")
        ]
        self.total_num_samples = len(self.files)
        if not self.files:
            raise WrongData(
                f"there are no images in the sub-directories of {self.base_dir}: {some(self.labels_list)}",
                hint="images belong into base_dir/<label>/",
            )
        with lines_shown():
            log_line(f"Total {self.total_num_samples} files found in {self.base_dir}")
            log_line(f"Total number of samples is {self.total_num_samples}")
            log_line("Labels index to name:")
            for label, name in self.labels_to_names.items():
                log_line(f"{label}: {name}")


def _labels(base_dir: str, labels_filename: str) -> list[str]:
    folders = names_in(base_dir, folders=True)
    if not folders:
        raise WrongData(
            f"{base_dir} has no sub-directories", hint="each label has one, with its images: base_dir/<label>/<image>"
        )
    path = f"{base_dir}/{labels_filename}"
    if not file.exists(path):
        if labels_filename != DEFAULT_LABELS_FILE:
            raise WrongData(f"there is no file {path}", hint="write it, or leave out labels_filename")
        return folders
    labels = consecutive(read_labels(path), path=path)
    without_folder = [name for name in labels if name not in folders]
    if without_folder:
        raise WrongData(
            f"{path} has labels without a sub-directory in {base_dir}: {some(without_folder)}",
            hint=f"sub-directories: {some(folders)}",
        )
    without_label = [name for name in folders if name not in labels]
    if without_label:
        raise WrongData(
            f"{path} does not number these sub-directories of {base_dir}: {some(without_label)}",
            hint="add them, or move them elsewhere",
        )
    return labels
