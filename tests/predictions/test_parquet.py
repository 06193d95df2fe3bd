import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from runyard.config.eval_args import PredictArgs
from runyard.errors import ModelError, PlatformError
from runyard.predictions.columns import Column, Columns
from runyard.predictions.encoders import encoder_for
from runyard.predictions.parquet import require_pyarrow
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS, finished


def test_columns_have_types(tmp_path: Path) -> None:
    arrays = {"id": TEXT_IDS, "a": MATRICES, "one": SCORES[:, None], "flag": SCORES > 0, "n": INT_IDS}
    table = pyarrow.parquet.read_table(finished(tmp_path, arrays, row_id="id", format="parquet", cut=2))
    assert [str(kind) for kind in table.schema.types] == [
        "string",
        "list<element: list<element: float>>",
        "float",
        "bool",
        "int64",
    ]
    assert [text.encode() for text in table["id"].to_pylist()] == TEXT_IDS.tolist()
    assert table["a"].to_pylist() == MATRICES.tolist()
    assert table["one"].to_pylist() == SCORES.tolist()
    assert table["n"].to_pylist() == INT_IDS.tolist()


def test_row_groups_do_not_depend_on_how_rows_came(tmp_path: Path) -> None:
    arrays = {"output": np.random.default_rng(0).random(300_000, np.float32)}
    files = [finished(tmp_path, arrays, format="parquet", cut=cut).read_bytes() for cut in (300_000, 70_001)]
    assert files[0] == files[1]
    found = pyarrow.parquet.ParquetFile(tmp_path / ".rows.whole")
    assert [found.metadata.row_group(n).num_rows for n in range(found.num_row_groups)] == [131_072, 131_072, 37_856]
    assert np.array_equal(found.read()["output"].to_numpy(), arrays["output"])


def test_no_rows_are_a_file_with_columns(tmp_path: Path) -> None:
    table = pyarrow.parquet.read_table(finished(tmp_path, {"a": np.zeros((0, 2), np.float32)}, format="parquet"))
    assert (table.num_rows, table.column_names) == (0, ["a"])


def test_an_unknown_rank_has_no_type() -> None:
    columns = Columns(None, (Column("a", np.dtype("float32"), None),))
    with pytest.raises(ModelError, match="unknown number of dimensions"):
        encoder_for(columns, args=PredictArgs(format="parquet"))


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(PlatformError, match=r"pip install 'runyard\[parquet\]'"):
        require_pyarrow()
