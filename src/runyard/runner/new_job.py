"""A small job folder to start from."""

from importlib import resources
from pathlib import Path

from runyard.errors import StorageError

_TEMPLATES = {"job.json": "job.json", "script.py": "train.py", "make_data.py": "make_data.py"}
"""Names in the package, and in the new folder."""


def write_new_job(folder: Path) -> list[Path]:
    """Writes the job and returns what was written.

    Raises:
        StorageError: if one of the files exists already, or the folder cannot be written. Then nothing is written.
    """
    targets = {source: folder / name for source, name in _TEMPLATES.items()}
    there = [str(path) for path in targets.values() if path.exists()]
    if there:
        raise StorageError(f"{', '.join(there)} exist already", hint="choose another folder; nothing was written")
    templates = resources.files("runyard.runner") / "templates"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source, path in targets.items():
            path.write_text((templates / source).read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    return list(targets.values())
