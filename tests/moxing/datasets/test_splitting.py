"""Splits of a dataset."""

from pathlib import Path

import pytest

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongArgument, WrongData
from moxing.tensorflow.datasets.raw.raw_dataset import split_image_classification_dataset
from moxing.tensorflow.datasets.reader import raw_reader
from tests.moxing.datasets.files import flowers

SPEC = {"train": 0.8, "eval": 0.2}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = flowers(tmp_path / "photos", {"daisy": 5, "rose": 10, "oak": 1})
    (folder / "labels.txt").write_text("0: rose\n1: daisy\n2: oak\n")
    return folder


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.glob("*/*.png")}


def test_each_label_is_divided(source: Path, tmp_path: Path) -> None:
    assert raw_reader.split_image_classification_dataset is split_image_classification_dataset
    split_image_classification_dataset(split_spec=SPEC, src_dir=str(source), dst_dir=str(tmp_path), overwrite=False)
    train, evaluation = names(tmp_path / "train"), names(tmp_path / "eval")
    assert train | evaluation == names(source) and not train & evaluation
    assert sorted(name.split("/")[0] for name in evaluation) == ["daisy", "rose", "rose"]
    metadata = mox.ImageClassificationRawMetadata(tmp_path / "eval")
    assert metadata.labels_list == ["rose", "daisy", "oak"]
    split_image_classification_dataset(SPEC, source, tmp_path / "again")
    assert names(tmp_path / "again" / "eval") == evaluation


def test_what_is_there_is_replaced_only_if_asked(source: Path, tmp_path: Path) -> None:
    (tmp_path / "eval" / "old").mkdir(parents=True)
    with pytest.raises(WrongData, match=r"/eval exists already"):
        split_image_classification_dataset(SPEC, source, tmp_path)
    assert not (tmp_path / "train").exists()
    split_image_classification_dataset(SPEC, source, tmp_path, overwrite=True)
    assert not (tmp_path / "eval" / "old").exists() and len(names(tmp_path / "train")) == 13
    with pytest.raises(WrongArgument, match="would be replaced by the split 'train'"):
        split_image_classification_dataset(SPEC, tmp_path / "train", tmp_path, overwrite=True)


@pytest.mark.parametrize("spec", [{}, {"train": 0.8, "eval": 0.3}, {"train": 1.0, "eval": 0}])
def test_shares(source: Path, tmp_path: Path, spec: dict[str, float]) -> None:
    with pytest.raises(WrongArgument, match="are no shares of a whole"):
        split_image_classification_dataset(spec, source, tmp_path / "x")
