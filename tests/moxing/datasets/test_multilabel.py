"""Images with several labels."""

from pathlib import Path
from typing import Any

import pytest

import moxing.tensorflow as mox
from moxing.tensorflow.datasets.failures import WrongData
from tests.moxing.datasets.files import encoded, values

LABELS = {"0.jpg": "sun sky", "1.jpg": "sea\nblue sky", "2.jpg": "sea"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, (name, labels) in enumerate(LABELS.items()):
        for sub_dir, file, data in [("images", name, encoded(number)), ("labels", f"{name}.txt", labels.encode())]:
            (tmp_path / sub_dir).mkdir(exist_ok=True)
            (tmp_path / sub_dir / file).write_bytes(data)
    (tmp_path / "labels.txt").write_text("0: sea 1: sky 2: blue sky 3: sun\n")
    return tmp_path


def dataset(folder: Path, **arguments: Any) -> Any:
    metadata = mox.MultilabelClassificationRawMetadata(folder)
    usual = {"shuffle": False, "num_epochs": 1}
    return lambda: mox.MultilabelClassificationRawDataset(metadata, **{**usual, **arguments})


def test_labels_are_vectors(folder: Path) -> None:
    metadata = mox.MultilabelClassificationRawMetadata(base_dir=folder)
    assert (metadata.total_num_samples, metadata.num_classes) == (3, 4)
    assert metadata.labels_to_names == {0: "sea", 1: "sky", 2: "blue sky", 3: "sun"}
    assert metadata.names_to_labels["blue sky"] == 2
    found = values(dataset(folder), ["image", "label", "label_desc", "image_name"])
    assert [(image.max(), label.tolist(), *names) for image, label, *names in found] == [
        (0, [0, 1, 0, 1], b"sky\nsun", b"0.jpg"),
        (1, [1, 0, 1, 0], b"sea\nblue sky", b"1.jpg"),
        (2, [1, 0, 0, 0], b"sea", b"2.jpg"),
    ]
    batch = values(dataset(folder, batch_size=3, image_size=2), ["label"])[0][0]
    assert batch.shape == (3, 4)


def test_without_a_file_labels_are_those_that_occur(folder: Path) -> None:
    (folder / "labels.txt").unlink()
    (folder / "labels" / "1.jpg.txt").write_text("sea")
    (folder / "labels" / "2.jpg.txt").write_text("")
    assert mox.MultilabelClassificationRawMetadata(folder).names_to_labels == {"sea": 0, "sky": 1, "sun": 2}
    assert [label.tolist() for (label,) in values(dataset(folder), ["label"])] == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_another_separator(folder: Path) -> None:
    for name, labels in {"0": "sun", "1": "sky,sun", "2": "blue sky, sea\n"}.items():
        (folder / "labels" / f"{name}.jpg.txt").write_text(labels)
    found = values(dataset(folder, label_sep=","), ["label", "label_desc"])
    assert found[2][0].tolist() == [1, 0, 1, 0] and found[2][1] == b"sea,blue sky"


def test_images_without_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labels" / "1.jpg.txt").unlink()
    with pytest.raises(WrongData, match=r"1 of 3 images have no labels: 1.jpg") as raised:
        dataset(folder)()
    assert raised.value.hint and "skip_label_not_found=True" in raised.value.hint
    found = values(dataset(folder, skip_label_not_found=True), ["image_name"])
    assert found == [[b"0.jpg"], [b"2.jpg"]]
    assert "Skipped 1 of 3 images that have no labels: 1.jpg" in capsys.readouterr().err


def test_what_is_wrong(folder: Path) -> None:
    with pytest.raises(WrongData, match=r"the directory of images .* does not exist"):
        mox.MultilabelClassificationRawMetadata(folder, images_sub_dir="pictures")
    (folder / "labels" / "0.jpg.txt").write_text("moon")
    with pytest.raises(WrongData, match=r"0.jpg.txt: 'moon' is not among .*labels.txt"):
        dataset(folder)()
    with pytest.raises(WrongData, match="there are no labels in"):
        (folder / "labels.txt").unlink()
        mox.MultilabelClassificationRawMetadata(folder, labels_extension="csv")
