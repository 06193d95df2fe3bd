"""What docs/legacy.md says is true."""

import re
from pathlib import Path

from tests.programs.runs import runyard

TEXT = (Path(__file__).parents[2] / "docs" / "legacy.md").read_text(encoding="utf-8")


def test_the_report_is_what_people_see(tmp_path: Path) -> None:
    program = re.search(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    report = re.search(r"\$ runyard legacy old_program.py\n(old_program.*?)```", TEXT, flags=re.DOTALL)
    assert program
    assert report
    (tmp_path / "old_program.py").write_text(program.group(1))
    done = runyard("legacy", "old_program.py", cwd=tmp_path)
    assert done.stdout == report.group(1)
    assert done.returncode == 3
    decision = re.search(r"```\n(old_program.py is a .*?)\n```", TEXT)
    assert decision
    assert done.stdout.startswith(decision.group(1))


def test_the_options_exist() -> None:
    shown = runyard("run", "--help", cwd=Path.cwd()).stdout
    processes = ("--workers", "--ps", "--logs", "--verbose", "--max-restarts")
    for option in ("--tf", "--no-py2", "--warnings", "-m", *processes):
        assert option in shown
        assert option in TEXT
