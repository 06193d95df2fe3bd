import json
from pathlib import Path

import pytest

from runyard.bridge import KerasVersion
from tests.warm import run_warm

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_half_precision_trains_and_survives_an_overflow(keras: KerasVersion) -> None:
    child = run_warm(["-m", "tests.training.half_precision", str(keras)], cwd=ROOT)
    assert child.returncode == 0, child.stderr
    found = json.loads(child.stdout.splitlines()[-1])
    for setting in ("plain", "pcgrad"):
        assert found[setting]["last"] < found[setting]["first"]
        assert (found[setting]["computes"], "float32" in found[setting]["keeps"]) == ("float16", True)
    assert found["overflow"] == {"factor": 0.5, "same": True, "steps": 0, "finite": True}
    assert found["rows"]
