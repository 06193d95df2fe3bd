import pytest

from runyard.runner.prediction.progress import PredictProgress


def test_a_line_a_minute_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with PredictProgress(rows=1_000, of_batches=100, clock=lambda: now) as progress:
        for second in (10, 50, 60, 70, 119, 120):
            now = float(second)
            progress.tell(1_000 + 100 * second, 1 + second // 4)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", ")[:2] for line in lines] == [
        ["predicting: batch 16/100", "1 min 00 s"],
        ["predicting: batch 31/100", "2 min 00 s"],
    ]
    assert all("100 rows/s" in line and line.endswith("left") for line in lines)


def test_without_a_number_of_batches_nothing_is_foretold(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with PredictProgress(rows=0, of_batches=None, clock=lambda: now) as progress:
        now = 61.0
        progress.tell(610, 7)
    assert capsys.readouterr().err == "predicting: batch 7, 1 min 01 s, 10 rows/s\n"
