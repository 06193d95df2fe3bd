"""What several files ask of one process with TensorFlow."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_PROGRAM = """
import json, sys
from runyard.legacy import collect_names
from tests.legacy import slim_names
answers = {"names": collect_names.show(collect_names.collect()), "slim": slim_names.missing()}
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="session")
def tensorflow_says() -> dict[str, Any]:
    """`names`: the list of names, as it would be written now; `slim`: what TF-Slim misses in TensorFlow."""
    root = Path(__file__).parents[2]
    child = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, cwd=root, check=False)
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)
