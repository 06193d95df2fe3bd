"""Whose code imports TensorFlow."""

import sys
import sysconfig
from pathlib import Path

import pytest

import moxing
import runyard
from runyard.legacy.ownership import is_library_file, is_users_code


def users(importer: dict[str, object] | None) -> bool:
    return is_users_code(importer, packages=frozenset({"trainer"}))


def test_a_program_and_the_modules_beside_it_are_the_users(tmp_path: Path) -> None:
    assert users({"__name__": "__main__", "__file__": str(tmp_path / "old.py")})
    assert users({"__name__": "model", "__file__": str(tmp_path / "model.py")})
    assert users({"__name__": "__main__"})


def test_an_installed_program_is_the_users_too() -> None:
    site = Path(sysconfig.get_path("purelib"))
    assert users({"__name__": "trainer.task", "__file__": str(site / "trainer" / "task.py")})
    assert users({"__name__": "__main__", "__package__": "trainer", "__file__": str(site / "trainer" / "task.py")})
    assert not users({"__name__": "other.task", "__file__": str(site / "other" / "task.py")})


@pytest.mark.parametrize("file", [pytest.__file__, runyard.__file__, moxing.__file__, Path.__module__, "os"])
def test_libraries_are_not(file: str) -> None:
    path = file if file.endswith(".py") else str(sys.modules[file].__file__)
    assert is_library_file(path)
    assert not users({"__name__": "x", "__file__": path})


def test_neither_are_installed_commands_and_code_without_a_module() -> None:
    assert not users({"__name__": "__main__", "__file__": f"{sysconfig.get_path('scripts')}/tensorboard"})
    assert not users({})
    assert not users(None)
