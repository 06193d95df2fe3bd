"""Which exported versions are kept."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def gc(tensorflow: Any) -> Any:
    from runyard.legacy import export_versions

    return export_versions


def kept(gc: Any, which: Any, *versions: int) -> list[int]:
    return [path.export_version for path in which([gc.Path(f"/x/{version:08d}", version) for version in versions])]


def test_filters(gc: Any) -> None:
    versions = (0, 1, 4, 5, 7, 8, 12)
    assert kept(gc, gc.largest_export_versions(2), *versions) == [8, 12]
    assert kept(gc, gc.largest_export_versions(20), *versions) == list(versions)
    assert kept(gc, gc.one_of_every_n_export_versions(4), *versions) == [4, 8, 12]
    assert kept(gc, gc.mod_export_version(4), *versions) == [0, 4, 8, 12]
    both = gc.union(gc.largest_export_versions(1), gc.mod_export_version(5))
    assert kept(gc, both, *versions) == [0, 5, 12]
    assert kept(gc, gc.negation(both), *versions) == [1, 4, 7, 8]


def test_what_is_no_export_is_left_alone(gc: Any, tmp_path: Path) -> None:
    for name in ("00000002", "00000001", "notes"):
        (tmp_path / name).mkdir()

    def parser(path: Any) -> Any:
        name = Path(path.path).name
        return path._replace(export_version=int(name)) if name.isdecimal() else None

    found = gc.get_paths(str(tmp_path), parser=parser)
    assert [path.export_version for path in found] == [1, 2]
    gc.delete(gc.negation(gc.largest_export_versions(1))(found))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000002", "notes"]
    assert gc.get_paths(str(tmp_path / "nowhere"), parser=parser) == []
