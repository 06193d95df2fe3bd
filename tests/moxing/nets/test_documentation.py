"""The guide's program runs, and its table says what is."""

import re
from pathlib import Path
from typing import Any

import pytest

import moxing.tensorflow as mox
from moxing.tensorflow.nets.table import NETWORKS
from tests.moxing.executor.models import weights

GUIDE = Path(__file__).parents[3] / "docs" / "moxing_networks.md"


@pytest.mark.slow
def test_the_program_trains_and_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(found.group(1), str(GUIDE), "exec"), names)
    assert weights(tmp_path / "log")["global_step"] == 3
    assert (tmp_path / "log" / "1" / "saved_model.pb").exists()


def test_the_table_has_every_network_and_its_numbers() -> None:
    rows = re.findall(r"^\| (.*?) \| (\d+) \| (\d) \| (.*?) \|", GUIDE.read_text(), flags=re.MULTILINE)
    told: set[str] = set()
    for names, size, offset, last in rows:
        for name in re.findall(r"`(\w+)`", names):
            told.add(name)
            pattern = "|".join(re.findall(r"`(\w+)`", last))
            assert mox.get_model_meta(name) == (int(size), int(offset), pattern), name
    assert told == set(NETWORKS)


def test_the_options_of_augmentations_exist() -> None:
    rows = re.findall(r"^\| `(\w+_preprocessing)`.*\| (.*?) \|$", GUIDE.read_text(), flags=re.MULTILINE)
    assert len(rows) == 4
    given = {"fast_mode": True, "area_range": (0.5, 1.0), "aspect_ratio_range": (0.5, 2.0), "central_fraction": 0.5}
    given |= {"resize_side_min": 30, "resize_side_max": 40, "padding": 2}
    for name, options in rows:
        chosen = {option: given[option] for option in re.findall(r"`(\w+)", options)}
        assert callable(mox.get_data_augmentation_fn(name, "TRAIN", 20, 20, **chosen))
