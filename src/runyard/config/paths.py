"""The two directories of a job: where its code is (pack path) and where its data and results are (data path)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JobPaths:
    """Absolute paths. Relative paths in a job file are below one of them."""

    pack: Path
    data: Path

    def in_pack(self, path: str) -> Path:
        return self.pack / path

    def in_data(self, path: str) -> Path:
        return self.data / path


def find_job_paths(
    *,
    job_file: Path | None,
    pack_path: str | None = None,
    data_path: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> JobPaths:
    """What the command line says, else the environment, else the folder of the job file."""
    home = (job_file.parent if job_file else Path()).absolute()
    pack = pack_path or environment.get("PIPELINE_PACK_PATH") or str(home)
    data = data_path or environment.get("PIPELINE_EXPORT_PATH") or str(home)
    return JobPaths(pack=_absolute(pack), data=_absolute(data))


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:  # `~name` of a user that does not exist: a strange name for a directory, but a name
        return Path(path).absolute()
