from pathlib import Path

import pytest

from runyard.telemetry import note
from runyard.telemetry.progress import Standing, finished_line, show_seconds, unfinished_line
from tests.telemetry.terminal import run_on_terminal, screen

BAR = """
import sys
from runyard.telemetry import note, say
from runyard.telemetry.progress import ProgressBar, Standing, bar_is_possible

assert bar_is_possible()
bar = ProgressBar()
def show(batches):
    bar.show(Standing(1, 3, batches, 125, 1.0, 65_000, 2.0, "loss 0.5123, auc 0.812, precision 0.1234"))
"""


def standing(**changes: object) -> Standing:
    fields: dict[str, object] = {
        "epoch": 2,
        "epochs": 3,
        "batches": 125,
        "of_batches": 125,
        "seconds": 1.923,
        "rows_per_second": 65_012.3,
        "numbers": "loss 0.5123, auc 0.812",
    }
    return Standing(**{**fields, **changes})  # type: ignore[arg-type]


def test_an_epoch_is_one_line() -> None:
    assert finished_line(standing()) == "epoch 2/3: 125 batches, 1.9 s, 65,012 rows/s, loss 0.5123, auc 0.812"
    assert finished_line(standing(batches=1, numbers="")) == "epoch 2/3: 1 batch, 1.9 s, 65,012 rows/s"


def test_a_long_epoch_says_what_is_left() -> None:
    line = unfinished_line(standing(batches=4000, of_batches=9000, seconds=60.1, left_seconds=75.0))
    assert line == ("epoch 2/3: batch 4,000/9,000, 1 min 00 s, 65,012 rows/s, 1 min 15 s left, loss 0.5123, auc 0.812")
    assert unfinished_line(standing(of_batches=None, numbers="")).startswith("epoch 2/3: batch 125, 1.9 s")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (59.96, "1 min 00 s"), (3599.4, "59 min 59 s"), (3720, "1 h 02 min")],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text


@pytest.mark.parametrize("columns", [200, 80, 30])
def test_lines_stay_whole_above_the_bar(columns: int) -> None:
    long = "a long note " * 12
    ended = run_on_terminal(
        f"{BAR}\nfor batch in (0, 60, 120):\n"
        f"    show(batch); note({long!r}); print('printed'); print('complained', file=sys.stderr); say('said')\n"
        "show(125)",
        columns=columns,
    )
    lines = screen(ended.raw, columns=columns)
    text = "".join(line.ljust(columns) for line in lines)
    assert text.count(f"note: {long.strip()}") == 3
    assert [line for line in lines if line in ("printed", "complained", "said")] == [
        "printed",
        "complained",
        "said",
    ] * 3
    assert "epoch" not in text, "the bar is gone when the program has ended"
    assert ended.code == 0


def test_the_bar_shows_how_far_an_epoch_is() -> None:
    ended = run_on_terminal(f"{BAR}\nshow(50); import os; os._exit(0)", columns=120)
    (line,) = screen(ended.raw, columns=120)
    assert (
        line
        == "epoch 1/3  ━━━━━━━━━━━━━━━  50/125  65,000 rows/s  2.0 s left  loss 0.5123, auc 0.812, precision 0.1234"
    )


def test_a_program_that_fails_gives_the_cursor_back() -> None:
    ended = run_on_terminal(f"{BAR}\nshow(50); sys.exit('it failed')")
    hidden, shown = ended.raw.rfind("\x1b[?25l"), ended.raw.rfind("\x1b[?25h")
    assert 0 <= hidden < shown
    assert screen(ended.raw) == ["it failed"]
    assert ended.code == 1


def test_what_goes_into_a_pipe_stays_there(tmp_path: Path) -> None:
    file = tmp_path / "out"
    with file.open("wb") as stdout:
        ended = run_on_terminal(f"{BAR}\nshow(50); print('a result'); bar.stop()", stdout=stdout)
    assert file.read_text() == "a result\n"
    assert "a result" not in ended.raw


def test_a_terminal_without_cursor_control_gets_no_bar() -> None:
    program = (
        "import os; os.environ['TERM'] = 'dumb'\n"
        "from runyard.telemetry.progress import bar_is_possible; print(bar_is_possible())"
    )
    assert screen(run_on_terminal(program).raw) == ["False"]


def test_lines_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    note("[bold]:smile: " + "x" * 200)
    assert capsys.readouterr().err == f"note: [bold]:smile: {'x' * 200}\n"
