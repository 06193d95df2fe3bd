"""What is found in a directory of images, and what is said if it is not there."""

from pathlib import Path

import pytest

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongData
from tests.moxing.datasets.files import flowers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return flowers(tmp_path / "data", {"daisy": 2, "rose": 1, "tulip": 3})


def test_labels_are_numbered_in_alphabetical_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "daisy" / ".DS_Store").write_text("")
    metadata = mox.ImageClassificationRawMetadata(base_dir=f"{folder}/")
    assert (metadata.total_num_samples, metadata.num_classes) == (6, 3)
    assert metadata.labels_list == ["daisy", "rose", "tulip"]
    assert capsys.readouterr().err.splitlines() == [
        f"INFO:tensorflow:Total 6 files found in {folder}",
        "INFO:tensorflow:Total number of samples is 6",
        "INFO:tensorflow:Labels index to name:",
        "INFO:tensorflow:0: daisy",
        "INFO:tensorflow:1: rose",
        "INFO:tensorflow:2: tulip",
    ]


def test_a_file_numbers_them_otherwise(folder: Path) -> None:
    (folder / "names.txt").write_text("\ufeff2:daisy\n\n0: tulip\n1: rose\n", encoding="utf-8")
    metadata = mox.ImageClassificationRawMetadata(folder, labels_filename="names.txt")
    assert metadata.labels_list == ["tulip", "rose", "daisy"]
    assert metadata.files[0].name == "tulip/tulip_0.png"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("0: daisy\n1: rose", "does not number these sub-directories of .*: tulip"),
        ("0: daisy\n1: rose\n2: tulip\n3: oak", "labels without a sub-directory in .*: oak"),
        ("0: daisy\n1: rose\n3: tulip", "there is no label 2"),
        ("0: daisy\n0: rose\n1: tulip", "labels.txt:2: 0 is already 'daisy'"),
        ("0: daisy\n1: daisy\n2: tulip", "labels.txt:2: 'daisy' has a number already"),
        ("daisy\nrose", "labels.txt:1: 'daisy' is no label"),
        ("\n", "labels.txt is empty"),
    ],
)
def test_a_file_that_does_not_fit(folder: Path, labels: str, message: str) -> None:
    (folder / "labels.txt").write_text(labels)
    with pytest.raises(WrongData, match=message) as raised:
        mox.ImageClassificationRawMetadata(folder)
    assert raised.value.hint and raised.value.exit_code == 5


def test_what_is_not_there(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ValueError, match=r"base_dir .*/nowhere does not exist"):
        mox.ImageClassificationRawMetadata(tmp_path / "nowhere")
    with pytest.raises(WrongData, match=r"rose_0.png is a file"):
        mox.ImageClassificationRawMetadata(folder / "rose" / "rose_0.png")
    with pytest.raises(WrongData, match=r"data/rose has no sub-directories"):
        mox.ImageClassificationRawMetadata(folder / "rose")
    with pytest.raises(WrongData, match=r"there is no file .*other.txt"):
        mox.ImageClassificationRawMetadata(folder, labels_filename="other.txt")
    with pytest.raises(WrongData, match=r"redirect_dir .* does not exist"):
        mox.ImageClassificationRawMetadata(folder, redirect_dir=tmp_path / "nowhere")
    (tmp_path / "empty" / "rose").mkdir(parents=True)
    with pytest.raises(WrongData, match="there are no images"):
        mox.ImageClassificationRawMetadata(tmp_path / "empty")
