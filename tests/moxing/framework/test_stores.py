"""Another place for files plugs in, and every call reaches it."""

import glob
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from moxing.framework import file
from moxing.framework.file import stores
from moxing.framework.file.local_store import LocalStore


class Elsewhere(LocalStore):
    """A store in a folder of its own, whose paths do not begin with /."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_"):
            return found
        return lambda *paths, **options: found(
            *(f"{self._root}/{path}" if isinstance(path, str) and "/" in path else path for path in paths), **options
        )


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(stores._stores, "s3", Elsewhere(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere" / "bucket").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def shifted() -> Iterator[None]:
    file.shift("os", "mox")
    yield
    file.shift("mox", "os")


def test_files_go_between_places(elsewhere: Path) -> None:
    file.write("s3://bucket/a", "1")
    file.copy("s3://bucket/a", elsewhere / "local")
    assert (elsewhere / "local").read_text() == "1"
    file.rename(elsewhere / "local", "s3://bucket/moved")
    assert file.list_directory("s3://bucket/") == ["a", "moved"]
    assert not (elsewhere / "local").exists()
    file.copy_parallel("s3://bucket/", elsewhere / "all")
    file.rename(elsewhere / "all", "s3://bucket/back")
    assert file.list_directory("s3://bucket/back", recursive=True) == ["a", "moved"]


@pytest.mark.usefixtures("shifted")
def test_pythons_own_functions_take_urls(elsewhere: Path) -> None:
    os.makedirs("s3://bucket/sub/deep")  # noqa: PTH103
    with open("s3://bucket/sub/a.txt", "w") as opened:  # noqa: PTH123
        opened.write("123")
    assert sorted(os.listdir("s3://bucket/sub")) == ["a.txt", "deep"]  # noqa: PTH208
    assert os.path.exists("s3://bucket/sub/a.txt")  # noqa: PTH110
    assert os.path.getsize("s3://bucket/sub/a.txt") == 3  # noqa: PTH202
    assert os.path.isdir("s3://bucket/sub")  # noqa: PTH112
    assert len(glob.glob("s3://bucket/sub/*.txt")) == 1  # noqa: PTH207
    shutil.copyfile("s3://bucket/sub/a.txt", elsewhere / "here.txt")
    assert (elsewhere / "here.txt").read_text() == "123"
    os.rename("s3://bucket/sub/a.txt", "s3://bucket/b.txt")  # noqa: PTH104
    shutil.copytree("s3://bucket/", elsewhere / "tree")
    os.remove("s3://bucket/b.txt")  # noqa: PTH107
    shutil.rmtree("s3://bucket/sub")
    assert file.list_directory("s3://bucket/") == []
    assert sorted(os.listdir(elsewhere / "tree")) == ["b.txt", "sub"]  # noqa: PTH208


def test_local_paths_are_left_to_pythons_own_functions(tmp_path: Path) -> None:
    before = (open, os.listdir, os.walk, os.path.exists, glob.glob, shutil.rmtree)
    file.shift("os", "mox")
    file.shift("os", "mox")
    try:
        assert open is not before[0]
        with pytest.raises(FileExistsError):
            os.mkdir(tmp_path)  # noqa: PTH102
        with open(tmp_path / "a", "x") as opened:  # noqa: PTH123
            assert opened.fileno() > 0
        assert os.stat(tmp_path / "a").st_size == 0  # noqa: PTH116
    finally:
        file.shift("mox", "os")
    assert (open, os.listdir, os.walk, os.path.exists, glob.glob, shutil.rmtree) == before
    with pytest.raises(ValueError, match=r"shift\('os', 'tf'\)"):
        file.shift("os", "tf")


def test_access_is_kept_for_the_store_and_secrets_are_not_shown() -> None:
    from moxing.framework.file.auth import store_access

    file.set_auth("key", sk="secret", server="host", path_style=True)
    file.set_auth(timeout_config={"getObjectMetadata": 10})
    kept = store_access()
    assert (kept.ak, kept.sk, kept.server, kept.path_style) == ("key", "secret", "host", True)
    assert kept.timeout_config == {"getObjectMetadata": 10}
    assert "secret" not in repr(kept)
    with pytest.raises(TypeError, match="not endpoint"):
        file.set_auth(endpoint="x")
