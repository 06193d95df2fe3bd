"""`input_data.read_data_sets`."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.errors import DataError
from runyard.legacy.mnist import read_data_sets
from tests.legacy.idx_files import write_idx_files

FASHION = Path(os.environ.get("RUNYARD_FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tensorflow: Any) -> Path:
    path = tmp_path_factory.mktemp("mnist")
    write_idx_files(path, train=100, test=20)
    return path


def test_three_sets_of_rows_and_labels(folder: Path) -> None:
    sets = read_data_sets(str(folder), one_hot=True, validation_size=30)
    assert [part.num_examples for part in (sets.train, sets.validation, sets.test)] == [70, 30, 20]
    assert sets.train.images.shape == (70, 784)
    assert sets.train.images.dtype == np.float32
    assert 0.9 < sets.train.images.max() <= 1
    assert sets.train.labels.shape == (70, 10)
    assert np.all(sets.train.labels.sum(axis=1) == 1)


def test_images_keep_their_shape_and_values_when_asked(folder: Path) -> None:
    sets = read_data_sets(str(folder), reshape=False, dtype=np.uint8, validation_size=0)
    assert sets.train.images.shape == (100, 28, 28, 1)
    label = int(sets.train.labels[0])
    assert np.all(sets.train.images[0, label * 2] == 255)


def test_batches_draw_every_example_once_an_epoch(folder: Path) -> None:
    train = read_data_sets(str(folder), validation_size=0, seed=1).train
    rows = np.concatenate([train.next_batch(40)[0] for _ in range(5)])
    assert len(np.unique(rows[:100], axis=0)) == 100
    assert len(np.unique(rows[100:], axis=0)) == 100
    assert train.epochs_completed == 1
    again = read_data_sets(str(folder), validation_size=0, seed=1).train
    assert np.array_equal(rows[:40], again.next_batch(40)[0])


def test_a_batch_has_the_labels_of_its_images(folder: Path) -> None:
    train = read_data_sets(str(folder), validation_size=0).train
    for _ in range(4):
        images, labels = train.next_batch(30)
        assert np.array_equal(images.reshape(-1, 28, 28)[:, ::2].mean(axis=2)[:, :10].argmax(axis=1), labels)


def test_a_missing_file_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train-images-idx3-ubyte\.gz"):
        read_data_sets(str(tmp_path))
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes((folder / "t10k-labels-idx1-ubyte.gz").read_bytes())
    with pytest.raises(ValueError, match="magic number"):
        read_data_sets(str(tmp_path))


@pytest.mark.skipif(not FASHION.is_dir(), reason="needs Debian's package dataset-fashion-mnist")
def test_fashion_mnist_is_read(tensorflow: Any) -> None:
    sets = read_data_sets(str(FASHION), dtype=np.uint8)
    assert [part.num_examples for part in (sets.train, sets.validation, sets.test)] == [55000, 5000, 10000]
    assert np.bincount(np.concatenate([sets.train.labels, sets.validation.labels])).tolist() == [6000] * 10
