"""The result file of a training run: which models it saved, for the tasks that follow."""

from collections.abc import Iterable
from pathlib import Path

from runyard.checkpoint.durable import write_text
from runyard.errors import StorageError
from runyard.models.saving import SavedModelPath

DEFAULT_RESULT_FILE = ".model_train_output"


def write_result_file(models: Iterable[SavedModelPath], *, data_path: Path, output_file: str | None = None) -> Path:
    """Writes one line `<path>|<name>` for each model, into the data path, whatever directory `output_file` names.

    Raises:
        StorageError: if it cannot be written.
    """
    path = data_path / (Path(output_file).name if output_file else DEFAULT_RESULT_FILE)
    write_text(path, "".join(f"{model.path}|{model.name}\n" for model in models))
    return path


def read_result_file(path: Path) -> list[SavedModelPath]:
    """The models of a result file. A line without a name is a path, and the name is its last part.

    Raises:
        StorageError: if it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(
            f"cannot read the result file {path}: {getattr(error, 'strerror', None) or error}"
        ) from error
    return [_model(line.strip()) for line in text.splitlines() if line.strip()]


def _model(line: str) -> SavedModelPath:
    path, separator, name = line.rpartition("|")
    if not separator:
        return SavedModelPath(Path(line).name, Path(line))
    return SavedModelPath(name or Path(path).name, Path(path))
