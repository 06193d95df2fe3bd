"""The measurements are not part of the suite; that what they import is still there is."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("runyard", "moxing", "bench")


def source_of(module: str) -> Path | None:
    """The file of one of our modules."""
    path = (ROOT if module.startswith("bench") else ROOT / "src") / module.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def names_in(file: Path) -> set[str]:
    """All that a module defines or imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize("file", sorted((ROOT / "bench").glob("*.py")), ids=lambda file: file.stem)
def test_what_a_measurement_imports_is_there(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] not in OURS:
            continue
        source = source_of(node.module or "")
        assert source is not None, f"line {node.lineno}: {node.module}"
        for each in node.names:
            known = each.name in names_in(source) or source_of(f"{node.module}.{each.name}") is not None
            assert known, f"line {node.lineno}: {node.module}.{each.name}"
