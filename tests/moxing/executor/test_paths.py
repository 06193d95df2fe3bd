"""Paths that cannot be used, found out before a callback is called."""

from pathlib import Path
from typing import Any

import pytest

from runyard.errors import StorageError
from tests.moxing.executor.models import run


def _not_called(*_: Any) -> Any:
    raise AssertionError("nothing is to be built")


@pytest.mark.parametrize("arguments", [{"log_dir": "s3://bucket/log"}, {"checkpoint_path": "obs://bucket/log"}])
def test_an_object_store_is_one_clear_error(arguments: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StorageError, match=r"://bucket/log, and (s3|obs):// paths cannot be read or written here"):
        run(input_fn=_not_called, **arguments)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("log_dir", ["taken", "taken/below"])
def test_a_log_dir_that_is_a_file_is_one_clear_error(
    tmp_path: Path, log_dir: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(StorageError, match="taken is a file"):
        run(input_fn=_not_called, log_dir=tmp_path / log_dir)
    assert capsys.readouterr().err == ""
