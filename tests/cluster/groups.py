"""Groups of small Python programs, supervised in this process or in one that can be killed."""

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from runyard.cluster import Ending, FailurePolicy, GroupSpec, Layout, Place, supervise

_BEFORE = """
import json, os, signal, subprocess, sys, time
from pathlib import Path
role, index, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])

def tell(name, text=""):
    (folder / f"{name}.new").write_text(str(text))
    (folder / f"{name}.new").rename(folder / name)

def count(name):
    times = int((folder / name).read_text()) + 1 if (folder / name).exists() else 1
    tell(name, times)
    return times

def rest(seconds):
    # A signal that comes just before a sleep is heard after it, so it should be a short one.
    for _ in range(10 * seconds):
        time.sleep(0.1)

def wait_for(name):
    while not (folder / name).exists():
        time.sleep(0.01)
"""


class Groups:
    """Runs programs that know their `role`, `index` and a common `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def spec(
        self,
        code: str,
        *,
        workers: int = 2,
        ps: int = 0,
        verbose: bool = False,
        hang_timeout: float = 60.0,
        env: dict[str, str] | None = None,
        **policy: Any,
    ) -> GroupSpec:
        program = _BEFORE + textwrap.dedent(code)

        def command(place: Place) -> list[str]:
            member = place.member
            return [sys.executable, "-c", program, str(member.role), str(member.index), str(self.folder)]

        return GroupSpec(
            command=command,
            layout=Layout(workers=workers, ps=ps),
            log_dir=self.folder / "logs",
            policy=FailurePolicy(**{"pause": 0.01, **policy}),
            env=env or {},
            hang_timeout=hang_timeout,
            verbose=verbose,
        )

    def run(self, code: str, **settings: Any) -> Ending:
        """Supervises in this process."""
        return supervise(self.spec(code, **settings))

    def start(
        self, code: str, *, hangups: signal.Handlers = signal.SIG_DFL, **settings: Any
    ) -> "subprocess.Popen[str]":
        """Supervises in another process, whose output can be read.

        Args:
            hangups: how that process finds SIGHUP; nohup, under which tests may run, has it ignored.
        """
        program = (
            "import json, sys\nfrom pathlib import Path\nfrom tests.cluster.groups import Groups\n"
            "code, folder, settings = sys.argv[1:]\n"
            "sys.exit(Groups(Path(folder)).run(code, **json.loads(settings)).exit_code)"
        )
        command = [sys.executable, "-c", program, code, str(self.folder), json.dumps(settings)]
        root = Path(__file__).parents[2]
        child = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=root,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, hangups),
        )
        self._started.append(child)
        return child

    def log(self, name: str) -> str:
        return (self.folder / "logs" / f"{name}.log").read_text()

    def told(self, name: str) -> str:
        """What a member has told with `tell`."""
        return (self.folder / name).read_text()

    def end(self) -> None:
        for child in self._started:
            child.kill()
            child.communicate()
