"""What is known of a directory of TFRecord files."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from moxing.framework import file
from moxing.framework.file.stores import Url
from moxing.tensorflow.datasets.failures import WrongArgument, WrongData, alias, optional_number, whole_number
from moxing.tensorflow.datasets.folders import checked_folder, names_in, some
from moxing.tensorflow.datasets.labels_file import read_labels
from moxing.tensorflow.datasets.tfrecord.record_count import count_records
from moxing.tensorflow.executor.lines import lines_shown, log_line


class BaseTFRecordMetadata:
    """TFRecord files in a directory.

    Args:
        base_dir: the directory.
        file_pattern: which files of it, such as `*train*.tfrecord`; or a list of patterns.
        num_samples: how many records there are. None: they are counted when somebody asks.
        redirect_dir: read the files from here; it has the same files.
        file_patterns: another spelling of `file_pattern`.

    Attributes:
        file_names: the files, relative to `base_dir`.

    Raises:
        WrongData: if there is no such directory, or no such file.
    """

    def __init__(
        self,
        base_dir: Url,
        file_pattern: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        redirect_dir: Url | None = None,
        *,
        file_patterns: str | Sequence[str] | None = None,
    ) -> None:
        given = alias(file_pattern, file_patterns, name="file_pattern", other_name="file_patterns")
        self.base_dir = checked_folder(base_dir, what="base_dir")
        self.read_dir = self.base_dir if redirect_dir is None else checked_folder(redirect_dir, what="redirect_dir")
        self._num_samples = optional_number(num_samples, "num_samples")
        patterns = [given] if isinstance(given, str) else list(given)
        self.file_names = [name for name in _files(self.base_dir, patterns) if _matches(name, patterns)]
        if not self.file_names:
            there = names_in(self.base_dir)
            raise WrongData(
                f"no file in {self.base_dir} matches {' or '.join(map(repr, patterns))}",
                hint=f"files there: {some(there)}" if there else "there are no files in it",
            )

    @property
    def num_samples(self) -> int:
        """How many records there are."""
        if self._num_samples is None:
            with lines_shown():
                log_line(
                    "Automatically extracting num_samples from tfrecord. If the dataset is large, it may take some"
                    " time. You can also manually specify the num_samples to Dataset to save time."
                )
            self._num_samples = sum(count_records(f"{self.read_dir}/{name}") for name in self.file_names)
        return self._num_samples

    @property
    def total_num_samples(self) -> int:
        """The same, as datasets of image files call it."""
        return self.num_samples


def _files(folder: str, patterns: Sequence[str]) -> list[str]:
    """The files of a directory; those of its sub-directories too, if a pattern speaks of them."""
    return file.list_directory(folder, recursive=any("/" in pattern for pattern in patterns), skip_dir=True)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not name.startswith(".") and any(fnmatchcase(name, pattern) for pattern in patterns)


class ImageClassificationTFRecordMetadata(BaseTFRecordMetadata):
    """TFRecord files of images with labels.

    Args:
        num_classes: how many labels there are; 0: as many as `label_map_file` has.
        label_map_file: a file in `base_dir` with lines `<number>: <label>`, if there is one.

    Attributes:
        labels_to_names: the labels by number; None without a file.

    The other arguments are those of `BaseTFRecordMetadata`.
    """

    def __init__(
        self,
        base_dir: Url,
        file_pattern: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        redirect_dir: Url | None = None,
        num_classes: int = 0,
        label_map_file: str = "labels.txt",
        *,
        file_patterns: str | Sequence[str] | None = None,
    ) -> None:
        super().__init__(base_dir, file_pattern, num_samples, redirect_dir, file_patterns=file_patterns)
        path = f"{self.base_dir}/{label_map_file}"
        self.labels_to_names = read_labels(path) if file.exists(path) else None
        self.num_classes = whole_number(num_classes, "num_classes", least=0)
        if not self.labels_to_names:
            return
        least = max(self.labels_to_names) + 1
        if self.num_classes and self.num_classes < least:
            raise WrongArgument(f"num_classes is {num_classes}, and {path} numbers labels up to {least - 1}")
        self.num_classes = self.num_classes or least
