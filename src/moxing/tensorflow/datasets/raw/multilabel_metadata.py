"""What is known of a directory of images with a file of labels for each."""

from moxing.framework import file
from moxing.framework.file.stores import Url
from moxing.tensorflow.datasets.failures import WrongData
from moxing.tensorflow.datasets.folders import checked_folder, names_in, some
from moxing.tensorflow.datasets.labels_file import consecutive, read_labels
from moxing.tensorflow.datasets.raw.raw_metadata import DEFAULT_LABELS_FILE
from moxing.tensorflow.executor.lines import lines_shown, log_line


class MultilabelClassificationRawMetadata:
    """Images in `base_dir/images/`, and their labels in `base_dir/labels/`: those of `0.jpg` in `0.jpg.txt`.

    Args:
        base_dir: the directory.
        images_sub_dir: where in it the images are.
        labels_sub_dir: where in it the files of labels are.
        labels_extension: how these end.
        redirect_dir: read the images from here; it has the same `images_sub_dir`.
        labels_filename: a file in `base_dir` that numbers the labels, `<number>: <label>`, one or several in a line.
            Without it, the labels that occur are numbered in alphabetical order.

    Attributes:
        total_num_samples: how many images there are.
        num_classes: how many labels there are.
        labels_to_names, names_to_labels: from numbers to labels, and back.

    Raises:
        WrongData: if there is nothing, or it is not as described.
    """

    def __init__(
        self,
        base_dir: Url,
        images_sub_dir: str = "images",
        labels_sub_dir: str = "labels",
        labels_extension: str = "txt",
        redirect_dir: Url | None = None,
        labels_filename: str = DEFAULT_LABELS_FILE,
    ) -> None:
        self.base_dir = checked_folder(base_dir, what="base_dir")
        images = checked_folder(f"{self.base_dir}/{images_sub_dir}", what="the directory of images")
        labels = checked_folder(f"{self.base_dir}/{labels_sub_dir}", what="the directory of labels")
        self.read_dir = images
        if redirect_dir is not None:
            redirected = checked_folder(redirect_dir, what="redirect_dir")
            self.read_dir = checked_folder(f"{redirected}/{images_sub_dir}", what="redirect_dir's images")
        self.images = names_in(images)
        if not self.images:
            raise WrongData(f"there are no images in {images}", hint="images_sub_dir says where they are")
        self.total_num_samples = len(self.images)
        self._labels_dir, self._extension = labels, labels_extension.lstrip(".")
        self._with_labels = frozenset(names_in(labels))
        self._labels_path = f"{self.base_dir}/{labels_filename}"
        self._labels_list = self._numbered(labels_filename)
        self.num_classes = len(self._labels_list)
        self.labels_to_names = dict(enumerate(self._labels_list))
        self.names_to_labels = {name: label for label, name in self.labels_to_names.items()}
        with lines_shown():
            log_line(f"Total {self.total_num_samples} files found in {images}")
            log_line(f"Total number of samples is {self.total_num_samples}")
            log_line("Labels index to name:")
            for label, name in self.labels_to_names.items():
                log_line(f"{label}: {name}")

    def has_labels(self, image: str) -> bool:
        """Whether this image has a file of labels."""
        return f"{image}.{self._extension}" in self._with_labels

    def labels_path(self, image: str) -> str:
        """The file of labels of an image."""
        return f"{self._labels_dir}/{image}.{self._extension}"

    def labels_of(self, image: str, *, separator: str) -> list[int]:
        """The labels of an image.

        Raises:
            WrongData: if one of them is not known.
        """
        path = self.labels_path(image)
        found: list[int] = []
        for name in self._split(str(file.read(path)), separator=separator):
            if name not in self.names_to_labels:
                known = self._labels_path if file.exists(self._labels_path) else some(list(self.names_to_labels))
                raise WrongData(
                    f"{path}: {name!r} is not among {known}",
                    hint=f"labels in it are separated by {separator!r} (label_sep) or by spaces, and numbered in"
                    f" {self._labels_path}, which is needed if label_sep is given",
                )
            found.append(self.names_to_labels[name])
        return sorted(set(found))

    def _split(self, text: str, *, separator: str) -> list[str]:
        """By the separator; what is no label then may be several, between spaces."""
        parts = [part.strip() for part in text.replace("\r\n", "\n").split(separator)]
        known: dict[str, int] = getattr(self, "names_to_labels", {})
        return [name for part in parts for name in ([part] if part in known else part.split())]

    def _numbered(self, labels_filename: str) -> list[str]:
        if file.exists(self._labels_path):
            labels = read_labels(self._labels_path, several_in_a_line=True)
            return consecutive(labels, path=self._labels_path)
        if labels_filename != DEFAULT_LABELS_FILE:
            raise WrongData(f"there is no file {self._labels_path}", hint="write it, or leave out labels_filename")
        found: set[str] = set()
        for image in filter(self.has_labels, self.images):
            found.update(self._split(str(file.read(self.labels_path(image))), separator="\n"))
        if not found:
            raise WrongData(
                f"there are no labels in {self._labels_dir}",
                hint=f"the labels of 0.jpg belong into 0.jpg.{self._extension} there",
            )
        return sorted(found)
