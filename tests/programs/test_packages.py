"""Packages that a program needs beside Runyard's."""

from pathlib import Path

from runyard.legacy.sources import read_program
from runyard.programs.packages import missing_modules, told_missing

TASK = """
import os, cv2.data, trainer.model, no_such_package
from trainer import other
from . import third
import ConfigParser
try:
    import without_it_all_goes_on
except ImportError:
    pass
"""


def test_what_neither_the_program_nor_anybody_else_has(tmp_path: Path) -> None:
    (tmp_path / "trainer").mkdir()
    for name in ("__init__", "model", "other", "third"):
        (tmp_path / "trainer" / f"{name}.py").write_text("")
    (tmp_path / "trainer" / "model.py").write_text("import yaml_of_its_own, sibling")
    (tmp_path / "trainer" / "sibling.py").write_text("")
    (tmp_path / "trainer" / "task.py").write_text(TASK)
    sources = read_program(tmp_path / "trainer" / "task.py", root=tmp_path)
    assert missing_modules(sources, root=tmp_path) == ["cv2", "no_such_package", "yaml_of_its_own"]
    assert told_missing("cv2").endswith("pip install opencv-python-headless")
