"""Files that TensorFlow cannot read where they are."""

from pathlib import Path
from typing import Any

import pytest

import moxing.tensorflow as mox
from moxing.framework.file import stores
from moxing.framework.file.local_store import LocalStore
from moxing.tensorflow.datasets import local_copy
from tests.moxing.datasets.files import flowers, image_records, values


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A directory in a store that TensorFlow does not know."""
    monkeypatch.setitem(stores._stores, "far", LocalStore())
    monkeypatch.setattr(local_copy.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    return f"far://{tmp_path}/far[1]"


def test_images_of_an_object_store_are_copied_first(far: str, tmp_path: Path) -> None:
    flowers(tmp_path / "far[1]", {"daisy": 1, "rose": 2})
    metadata = mox.ImageClassificationRawMetadata(far)
    dataset: Any = mox.ImageClassificationRawDataset(metadata, shuffle=False, num_epochs=1)
    assert [name for (name,) in values(lambda: dataset, ["image_name"])] == [
        b"daisy_0.png",
        b"rose_0.png",
        b"rose_1.png",
    ]
    assert len(list((tmp_path / "temporary").glob("mox_*/rose/*.png"))) == 2


def test_records_of_an_object_store_are_copied_first(far: str, tmp_path: Path) -> None:
    image_records(tmp_path / "far[1]" / "parts" / "a.tfrecord", [1, 2])
    image_records(tmp_path / "far[1]" / "b.tfrecord", [3])
    metadata = mox.ImageClassificationTFRecordMetadata(far, "parts/*.tfrecord")
    assert metadata.num_samples == 2
    dataset: Any = mox.ImageClassificationTFRecordDataset(metadata, shuffle=False, num_epochs=1)
    assert [int(image.max()) for (image,) in values(lambda: dataset, ["image"])] == [1, 2]


def test_only_what_has_changed_is_copied_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = flowers(tmp_path / "data", {"daisy": 1, "rose": 2})
    arguments: dict[str, Any] = {"cache_dir": str(tmp_path / "cache"), "remove_cache_on_finish": False}
    names = ["daisy/daisy_0.png", "rose/rose_0.png"]
    for expected in (2, 0):
        local_copy.readable_files(names, folder=str(folder), **arguments)
        assert f"Caching {expected} of 2 files of {folder}" in capsys.readouterr().err
    (folder / "rose" / "rose_0.png").write_bytes(b"longer, or shorter")
    paths = local_copy.readable_files(names, folder=str(folder), **arguments)
    assert "Caching 1 of 2 files" in capsys.readouterr().err
    assert Path(paths[1]).read_bytes() == b"longer, or shorter"
