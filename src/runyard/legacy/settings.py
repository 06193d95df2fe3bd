"""How an old program is run. Child processes get it through the environment."""

import json
import os
from dataclasses import asdict, dataclass

VARIABLE = "RUNYARD_STAND_IN"


@dataclass(frozen=True)
class Settings:
    """What the user chose.

    Attributes:
        asked: TensorFlow 1 was asked for with `--tf 1`; otherwise a child process that names TensorFlow 2 gets that.
        python2: convert Python 2; otherwise files that need it are refused.
        warnings: show TensorFlow's deprecation warnings.
        packages: installed packages that belong to the program.
    """

    asked: bool = False
    python2: bool = True
    warnings: bool = False
    packages: tuple[str, ...] = ()


def write_to_environment(settings: Settings) -> None:
    os.environ[VARIABLE] = json.dumps(asdict(settings))


def from_environment() -> Settings | None:
    """What a parent process left; None if there is none."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    values = json.loads(text)
    return Settings(**{**values, "packages": tuple(values["packages"])})
