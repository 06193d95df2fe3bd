"""What docs/moxing_datasets.md says is true."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import moxing.tensorflow as mox
from tests.moxing.datasets.files import flowers
from tests.moxing.executor.models import steps

TEXT = (Path(__file__).parents[3] / "docs" / "moxing_datasets.md").read_text()


@pytest.mark.slow
def test_the_program_runs(tmp_path: Path) -> None:
    flowers(tmp_path / "flowers", {"daisy": 5, "rose": 4})
    program = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert steps(done.stderr) == [0, 10]


def test_all_arguments_are_documented_with_their_defaults() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", TEXT, flags=re.MULTILINE))
    taken = inspect.signature(mox.ImageClassificationRawDataset).parameters
    assert rows == {name: str(one.default) for name, one in taken.items() if name not in ("metadata", "meta")}


def test_all_names_are_documented() -> None:
    from moxing.tensorflow import datasets

    readers = {"AsyncRawGenerator", "ParallelReader"}
    assert {name for name in datasets.__all__ if f"mox.{name}" not in TEXT} == readers
    assert all(getattr(mox, name) is getattr(datasets, name) for name in datasets.__all__)
