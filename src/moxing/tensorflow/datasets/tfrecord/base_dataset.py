"""Records of any kind."""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
from tf_slim.data.tfexample_decoder import TFExampleDecoder

from moxing.tensorflow.datasets.failures import WrongArgument, alias, optional_number, whole_number
from moxing.tensorflow.datasets.item_dataset import ItemDataset, mapped, next_element
from moxing.tensorflow.datasets.local_copy import readable_files
from moxing.tensorflow.datasets.tfrecord.features import portable
from moxing.tensorflow.datasets.tfrecord.tfrecord_metadata import BaseTFRecordMetadata
from moxing.tensorflow.datasets.told import remember_record_files


class BaseTFRecordDataset(ItemDataset):
    """Records of TFRecord files; what is in them is said in one of three ways.

    - `keys_to_features` and `items_to_handlers`, as `slim.tfexample_decoder` has them: the items are the handlers'.
    - `feature_keys` and `feature_values`: the items are the keys. A subclass may override `_build_features(*tensors)`,
      which gets the tensors in the order of the keys and calls `self._add_feature(name, tensor)`.
    - A subclass overrides `_parser(record)`, which returns a tuple of tensors, and `_build_feature(*tensors)`.

    Args:
        metadata: a `BaseTFRecordMetadata`.
        feature_keys: keys of the records.
        feature_values: what each is: `tf.FixedLenFeature(...)` and the like.
        shuffle: another order in every pass; otherwise that of the files and of the records in them.
        shuffle_buffer_size: among how many records the next is drawn.
        num_parallel: how many files are read at the same time, and how many records are parsed.
        num_readers: another spelling of `num_parallel`.
        num_epochs: after so many passes the data end, and so does the run; None: never.
        batch_size: give batches of this size; None: single records.
        drop_remainder: leave out a last batch that is smaller.
        capacity: how many records are read ahead.
        cache_dir: copy the files below this directory first; "ENV": that of $DLS_LOCAL_CACHE_PATH.
        remove_cache_on_finish: delete the copies when the process ends.
        private_num_threads: threads that this dataset has for itself; 0: it takes those of all.
        meta: another spelling of `metadata`.
    """

    def __init__(
        self,
        metadata: BaseTFRecordMetadata | None = None,
        keys_to_features: Mapping[str, Any] | None = None,
        items_to_handlers: Mapping[str, Any] | None = None,
        *,
        feature_keys: Sequence[str] | None = None,
        feature_values: Sequence[Any] | None = None,
        shuffle: bool = True,
        shuffle_buffer_size: int = 6400,
        num_parallel: int = 8,
        num_readers: int | None = None,
        num_epochs: int | None = None,
        batch_size: int | None = None,
        drop_remainder: Any = False,
        capacity: int = 256,
        cache_dir: str | None = None,
        remove_cache_on_finish: bool = True,
        private_num_threads: int = 0,
        meta: BaseTFRecordMetadata | None = None,
    ) -> None:
        super().__init__()
        self.metadata = alias(metadata, meta, name="metadata", other_name="meta")
        if not isinstance(self.metadata, BaseTFRecordMetadata):
            raise WrongArgument(
                f"metadata must be a BaseTFRecordMetadata, not {self.metadata!r}",
                hint="make one: mox.BaseTFRecordMetadata(base_dir=..., file_pattern=...)",
            )
        self._handlers = None if items_to_handlers is None else dict(items_to_handlers)
        self._keys = _checked_features(
            keys_to_features, feature_keys, feature_values, handlers=items_to_handlers is not None
        )
        self._shuffle = shuffle
        self._shuffle_buffer_size = whole_number(shuffle_buffer_size, "shuffle_buffer_size", least=1)
        self._num_parallel = whole_number(num_parallel if num_readers is None else num_readers, "num_parallel", least=1)
        self._num_epochs = optional_number(num_epochs, "num_epochs")
        self._batch_size = optional_number(batch_size, "batch_size")
        self._drop_remainder = True if num_epochs is None else drop_remainder
        self._capacity = whole_number(capacity, "capacity", least=1)
        self._cache = {"cache_dir": cache_dir, "remove_cache_on_finish": remove_cache_on_finish}
        self._private_num_threads = whole_number(private_num_threads, "private_num_threads", least=0)
        self._files: list[str] | None = None

    @property
    def num_samples(self) -> int:
        """How many records there are."""
        return self.metadata.num_samples

    def _parser(self, record: Any) -> tuple[Any, ...]:
        """From a serialized record to tensors."""
        if self._handlers is not None:
            decoder = TFExampleDecoder(portable(self._keys), self._handlers)
            return tuple(decoder.decode(record, list(self._handlers)))
        if not self._keys:
            raise WrongArgument(
                f"{type(self).__name__} does not say what is in a record",
                hint="give feature_keys and feature_values, or override _parser(record)",
            )
        parsed = tf.io.parse_single_example(record, portable(self._keys))
        return tuple(parsed[key] for key in self._keys)

    def _build_features(self, *tensors: Any) -> None:
        """From tensors to items."""
        names = list(self._handlers if self._handlers is not None else self._keys)
        if len(names) != len(tensors):
            raise WrongArgument(
                f"{type(self).__name__} does not say what the {len(tensors)} tensors of its _parser are",
                hint="override _build_feature(*tensors) and call self._add_feature(name, tensor) in it",
            )
        for name, tensor in zip(names, tensors, strict=True):
            self._add_feature(name, tensor)

    def _build(self) -> None:
        parsed = mapped(self._records(), self._parsed, threads=self._num_parallel)
        if self._batch_size is not None:
            parsed = parsed.batch(self._batch_size, drop_remainder=self._drop_remainder)
        tensors = next_element(parsed.prefetch(2), private_num_threads=self._private_num_threads)
        build = getattr(self, "_build_feature", self._build_features)
        build(*tensors)

    def _parsed(self, record: Any) -> tuple[Any, ...]:
        tensors = self._parser(record)
        return tuple(tensors) if isinstance(tensors, list | tuple) else (tensors,)

    def _records(self) -> Any:
        """The serialized records, pass after pass."""
        if self._files is None:
            self._files = readable_files(self.metadata.file_names, folder=self.metadata.read_dir, **self._cache)
        remember_record_files(self._files)
        if not self._shuffle:
            records: Any = tf.data.TFRecordDataset(self._files)
        else:
            files = tf.data.Dataset.from_tensor_slices(self._files).shuffle(len(self._files))
            records = files.interleave(
                tf2.data.TFRecordDataset,
                cycle_length=min(self._num_parallel, len(self._files)),
                num_parallel_calls=min(self._num_parallel, len(self._files)),
            )
            records = records.shuffle(self._shuffle_buffer_size)
        return records.repeat(self._num_epochs).prefetch(self._capacity)


def _checked_features(
    keys_to_features: Mapping[str, Any] | None,
    feature_keys: Sequence[str] | None,
    feature_values: Sequence[Any] | None,
    *,
    handlers: bool,
) -> dict[str, Any]:
    if handlers != (keys_to_features is not None):
        missing = "keys_to_features" if handlers else "items_to_handlers"
        raise WrongArgument(f"{missing} is missing", hint="keys_to_features and items_to_handlers belong together")
    if keys_to_features is not None:
        return dict(keys_to_features)
    return paired_features(feature_keys, feature_values, names=("feature_keys", "feature_values"))


def paired_features(
    keys: Sequence[str] | None, values: Sequence[Any] | None, *, names: tuple[str, str]
) -> dict[str, Any]:
    """What the records have, by key.

    Raises:
        WrongArgument: if there is not one value for each key.
    """
    if len(keys or ()) != len(values or ()):
        raise WrongArgument(
            f"{names[0]} has {len(keys or ())} entries and {names[1]} {len(values or ())}",
            hint="give a tf.FixedLenFeature (or the like) for each key",
        )
    return dict(zip(keys or (), values or (), strict=True))
