"""A job of two workers, and somebody who kills its processes at random while it trains."""

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from runyard.cluster import orphans
from tests.runner.jobs import start_training, write_job
from tests.runner.worker_jobs import WORKERS_SCRIPT

SUPERVISOR, WATCHDOG, CHIEF, OTHER = "supervisor", "watchdog", "worker 0", "worker 1"
_STEPS_OF_EPOCH = 32
_EPOCHS_FOR_A_KILL = 2
_HANGS_AFTER = 15

_PATIENCE = """

class Patience:
    '''Keeps the job from getting on much faster than it is killed.'''

    def on_steps(self, run):
        wanted, steps = json.loads(os.environ["JOB_CHAOS"])
        time.sleep(0.1)
        while self.kills() < min(wanted, run.step // steps):
            time.sleep(0.05)

    def kills(self):
        path = os.environ["JOB_WEIGHTS"] + ".kills"
        return os.path.getsize(path) if os.path.exists(path) else 0


def awf_observers_fn():
    return [Trouble(), Patience()] if "JOB_CHAOS" in os.environ else [Trouble()]
"""


def write_chaos_job(folder: Path, *, kills: int) -> Path:
    """A job that is long enough for so many kills."""
    return write_job(
        folder,
        script=WORKERS_SCRIPT.replace("import os\n", "import os\nimport time\n", 1) + _PATIENCE,
        detail={"num_workers": 2, "train_data_args": {"rows": 16 * (2 * _STEPS_OF_EPOCH - 1) - 3}},
        epochs=(kills + 1) * _EPOCHS_FOR_A_KILL,
        checkpoint={"every_steps": 5, "every_seconds": 0.5},
        validation={"every_epochs": 5},
        restart={"max_restarts": 1000, "hang_timeout": _HANGS_AFTER},
    )


@dataclass
class Chaos:
    """Kills processes of a job one after the other; `told` says which.

    Args:
        pause: the longest time from one kill to the next, in seconds.
    """

    job: Path
    kills: int
    seed: int
    pause: float
    told: list[str] = field(default_factory=list[str])

    def run(self) -> subprocess.CompletedProcess[str]:
        """Runs the job to its end, and starts it again whenever its supervisor was killed."""
        draw = random.Random(self.seed)
        process = self._start()
        try:
            for _ in range(self.kills):
                time.sleep(draw.uniform(0.0, self.pause))
                who = draw.choice([SUPERVISOR, WATCHDOG, CHIEF, CHIEF, OTHER, OTHER])
                stops = who in (CHIEF, OTHER) and draw.random() < 0.15
                process = self._one(process, who, signal.SIGSTOP if stops else signal.SIGKILL)
            out, err = process.communicate(timeout=600)
        finally:
            end(process)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def _one(self, process: subprocess.Popen[str], who: str, number: signal.Signals) -> subprocess.Popen[str]:
        """Sends a signal and waits for what must come of it; the process that supervises then."""
        victim = _found(process, who)
        members = psutil.Process(process.pid).children()
        victim.send_signal(number)
        self.told.append(f"{number.name} to {who}")
        with Path(f"{self.job.parent / 'weights.npz'}.kills").open("a") as file:
            file.write("x")
        if number is signal.SIGSTOP:
            # Nobody but the supervisor can do that to a process that is stopped.
            assert not psutil.wait_procs([victim], timeout=10 * _HANGS_AFTER)[1], f"nobody noticed: {self.told}"
        if who != SUPERVISOR:
            return process
        end(process)
        assert not psutil.wait_procs(members, timeout=60)[1], f"orphans live on: {self.told}"
        return self._start()

    def _start(self) -> subprocess.Popen[str]:
        chaos = json.dumps([self.kills, _EPOCHS_FOR_A_KILL * _STEPS_OF_EPOCH])
        return start_training(self.job, JOB_KERAS="3", JOB_CHAOS=chaos)


def _found(process: subprocess.Popen[str], who: str) -> psutil.Process:
    """That process, as soon as there is one."""
    while process.poll() is None:
        with suppress(psutil.Error):
            supervisor = psutil.Process(process.pid)
            if who == SUPERVISOR:
                return supervisor
            for child in supervisor.children():
                if _name(child) == who:
                    return child
        time.sleep(0.02)
    raise AssertionError(f"the job ended before it was over: {process.communicate()[1]}")


def _name(child: psutil.Process) -> str:
    if orphans.__file__ in child.cmdline():
        return WATCHDOG
    task = json.loads(child.environ().get("TF_CONFIG", "{}")).get("task", {})
    return f"{task.get('type')} {task.get('index')}"


def end(process: subprocess.Popen[str]) -> None:
    """Kills the supervisor; what it supervises dies with it."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
