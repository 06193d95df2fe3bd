"""Runs that write to a local disk first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from moxing.framework import file
from moxing.tensorflow.utils import log_cache
from moxing.tensorflow.utils.log_cache import cache, local_log_dir
from runyard.errors import StorageError


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("DLS_LOCAL_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setattr(log_cache, "_on", False)
    cache()
    yield tmp_path / "log"


def names(folder: Path) -> list[str]:
    return file.list_directory(folder, recursive=True, skip_dir=True)


def save(folder: Any, step: int, *, listed: list[int]) -> None:
    for suffix in (".index", ".data-00000-of-00001"):
        file.write(f"{folder}/model.ckpt-{step}{suffix}", str(step))
    paths = "".join(f'all_model_checkpoint_paths: "model.ckpt-{one}"\n' for one in listed)
    file.write(f"{folder}/checkpoint", f'model_checkpoint_path: "model.ckpt-{step}"\n{paths}')


def test_without_it_runs_write_where_they_are_told(tmp_path: Path) -> None:
    with local_log_dir(str(tmp_path)) as folder:
        assert folder == str(tmp_path)


def test_there_may_be_no_place_to_write_to(cached: Path) -> None:
    with local_log_dir(None) as folder:
        assert folder is None


def test_what_a_run_writes_is_brought_and_the_local_folder_goes(cached: Path) -> None:
    with local_log_dir(str(cached)) as folder:
        assert folder is not None
        assert Path(folder).parent == cached.with_name("cache")
        save(folder, 5, listed=[5])
        file.write(f"{folder}/events/1", "x")
    assert names(cached) == ["checkpoint", "events/1", "model.ckpt-5.data-00000-of-00001", "model.ckpt-5.index"]
    assert list(cached.with_name("cache").iterdir()) == []


def test_a_run_goes_on_from_the_checkpoints_that_are_there(cached: Path) -> None:
    for step in (1, 2):
        save(cached, step, listed=[1, 2])
    file.write(cached / "events.large", "x")
    file.write(cached / "model.ckpt-0.index", "not listed")
    with local_log_dir(str(cached)) as folder:
        assert folder is not None
        assert names(Path(folder)) == [
            name for name in names(cached) if "events" not in name and "-0.index" not in name
        ]
        file.remove(f"{folder}/model.ckpt-1.index")
        save(folder, 3, listed=[2, 3])
    assert "model.ckpt-1.index" not in names(cached)
    assert {"model.ckpt-2.index", "model.ckpt-3.index", "events.large", "model.ckpt-0.index"} <= set(names(cached))


def test_a_run_that_fails_leaves_what_it_wrote(cached: Path) -> None:
    with pytest.raises(ZeroDivisionError), local_log_dir(str(cached)) as folder:
        save(folder, 5, listed=[5])
        raise ZeroDivisionError
    assert "model.ckpt-5.index" in names(cached)


def test_what_cannot_be_brought_stays_and_is_told_of(cached: Path) -> None:
    message = r"could be copied to .*/log: .*\n  hint: it is in .*/cache/mox_log_"
    with pytest.raises(StorageError, match=message) as caught, local_log_dir(str(cached)) as folder:
        file.write(cached, "a file in the way")
        save(folder, 5, listed=[5])
    assert "model.ckpt-5.index" in names(Path(str(caught.value.hint).removeprefix("it is in ")))


def test_a_file_is_no_place_to_write_to(cached: Path) -> None:
    file.write(cached, "a file in the way")
    with pytest.raises(StorageError, match="/log is a file"), local_log_dir(str(cached)):
        pass
    assert list(cached.with_name("cache").iterdir()) == []
