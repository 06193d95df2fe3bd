"""The guide's program does what the guide says."""

import re
from pathlib import Path
from typing import Any

import pytest

from moxing.tensorflow.utils.hyper_param_flags import mox_flags
from tests.moxing.executor.models import steps, weights

GUIDE = Path(__file__).parents[3] / "docs" / "moxing.md"


def test_it_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(found.group(1), str(GUIDE), "exec"), names)
    assert steps(capsys.readouterr().err) == [0, 50, 100, 150]
    assert weights(tmp_path / "log")["global_step"] == 200


def test_its_flags_exist() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", GUIDE.read_text(), flags=re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(named) > 8
    assert named <= set(mox_flags)
