import os
import pty
import signal
import sys
from pathlib import Path

import pytest

from tests.telemetry.terminal import run_on_terminal, screen

pytestmark = pytest.mark.slow

_SUPERVISOR = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.cluster.groups import Groups
ending = Groups(Path.cwd()).run('''
from runyard.telemetry import say
from runyard.telemetry.progress import ProgressBar, Standing, bar_is_possible
if index == 1:
    wait_for("half")
    print("from the other", flush=True)
    sys.exit(0)
assert bar_is_possible()
assert os.get_terminal_size(2).columns == 70
bar = ProgressBar()
bar.show(Standing(1, 3, 50, 125, 1.0, 65_000))
say("a line")
tell("half")
while "from the other" not in (folder / "logs" / "worker-1.log").read_text():
    time.sleep(0.01)
bar.show(Standing(1, 3, 100, 125, 1.0, 65_000))
THEN
''', verbose=True, max_restarts=0)
sys.exit(ending.exit_code)
"""


def test_the_first_worker_has_the_terminal_and_others_speak_above_its_bar(tmp_path: Path) -> None:
    program = _SUPERVISOR.replace("THEN", 'bar.stop(); print("Done")')
    ended = run_on_terminal(program, columns=70, folder=tmp_path)
    assert ended.code == 0
    assert "100/125" in ended.raw
    shown = [line for line in screen(ended.raw, columns=70) if line]
    assert sorted(shown[:2]) == ["[worker 1] from the other", "a line"]  # two processes, in either order
    assert shown[2:] == ["Done"]
    log = (tmp_path / "logs" / "worker-0.log").read_text().splitlines()
    assert (log[1], log[-1]) == ("a line", "Done")
    assert len(log) <= 4


def test_the_terminal_is_left_in_order_when_the_first_worker_is_killed(tmp_path: Path) -> None:
    program = _SUPERVISOR.replace("THEN", "os.kill(os.getpid(), signal.SIGKILL)")
    ended = run_on_terminal(program, columns=70, folder=tmp_path)
    assert ended.code == 137
    assert ended.raw.rfind("\x1b[?25h") > ended.raw.rfind("\x1b[?25l")
    shown = [line for line in screen(ended.raw, columns=70) if line]
    assert sorted(shown[:2]) == ["[worker 1] from the other", "a line"]
    assert shown[2].startswith("error: worker 0 was killed by SIGKILL")


_ON_CLOSED_TERMINAL = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.cluster.groups import Groups
ending = Groups(Path.cwd()).run('''
def save(number, _):
    print("saving", flush=True)
    tell(f"saved{{index}}", number)
    sys.exit(143)
signal.signal(signal.SIGTERM, save)
tell(f"up{{index}}")
while True:
    print("something to show", flush=True)
    time.sleep(0.01)
''')
Path("ended").write_text(str(ending.exit_code))
"""


def test_a_job_whose_terminal_is_closed_is_saved(tmp_path: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests may run under nohup
        os.execv(sys.executable, [sys.executable, "-c", _ON_CLOSED_TERMINAL])
    try:
        while not all((tmp_path / f"up{index}").exists() for index in (0, 1)):
            os.read(terminal, 4096)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    assert [(tmp_path / f"saved{index}").read_text() for index in (0, 1)] == ["15", "15"]
    assert (tmp_path / "ended").read_text() == "143"
