from pathlib import Path

import pytest

from runyard.errors import StorageError
from runyard.models import SavedModelPath, read_result_file, write_result_file


def test_there_is_one_line_for_each_model(tmp_path: Path) -> None:
    models = [SavedModelPath("user", Path("/m/user")), SavedModelPath("item", Path("/m/it|em"))]
    path = write_result_file(models, data_path=tmp_path)
    assert path == tmp_path / ".model_train_output"
    assert path.read_text() == "/m/user|user\n/m/it|em|item\n"
    assert read_result_file(path) == models


def test_a_given_name_is_a_file_in_the_data_path(tmp_path: Path) -> None:
    assert write_result_file([], data_path=tmp_path, output_file="/elsewhere/models.txt") == tmp_path / "models.txt"


def test_names_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "result").write_text("/m/user\n\n  /m/item|\r\n")
    assert read_result_file(tmp_path / "result") == [
        SavedModelPath("user", Path("/m/user")),
        SavedModelPath("item", Path("/m/item")),
    ]


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot read the result file .*: No such file"):
        read_result_file(tmp_path / "none")
