"""`mox.run` with parameter servers, in processes."""

import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.moxing.cluster.program import PROGRAM, start, steps_in, weights
from tests.programs.runs import runyard

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, tensorflow: Any) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def run(folder: Path, *flags: str, ps: int = 1) -> tuple[str, str]:
    """Two workers; what was shown, and what the second worker said."""
    done = runyard("run", "train.py", "--workers", "2", "--ps", str(ps), "--", *flags, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout, (folder / "logs" / "worker-1.log").read_text()


def by_hand(folder: Path, *flags: str) -> "Callable[[str, int], subprocess.Popen[str]]":
    """Starts processes without a supervisor: of one parameter server and two workers."""
    with socket.socket() as one, socket.socket() as two, socket.socket() as three:
        for held in (one, two, three):
            held.bind(("127.0.0.1", 0))
        ps, *workers = (f"127.0.0.1:{held.getsockname()[1]}" for held in (one, two, three))
    program = PROGRAM.replace("import tensorflow as tf", "import tensorflow.compat.v1 as tf")
    (folder / "train.py").write_text(program)

    def process(job: str, index: int) -> "subprocess.Popen[str]":
        hosts = [f"--ps_hosts={ps}", f"--worker_hosts={','.join(workers)}"]
        return start(folder, "train.py", f"--job_name={job}", f"--task_index={index}", *hosts, *flags)

    return process


def test_workers_in_step_do_what_one_process_does_with_all_their_rows(folder: Path) -> None:
    alone = runyard("run", "train.py", "--", "--batch=8", "--log=alone", cwd=folder)
    assert alone.returncode == 0, alone.stderr
    first, second = run(folder, "--more", ps=2)
    expected, found = weights(folder / "alone"), weights(folder / "log")
    assert sorted(found) == sorted(expected)
    assert int(found["global_step"]) == 12
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=1e-6, err_msg=name)
    assert steps_in(first) == steps_in(second) == [(step, step) for step in range(12)]
    # Only the first worker writes, evaluates and exports.
    assert len(list((folder / "log").glob("events.out.tfevents.*"))) == 1
    assert (folder / "log" / "1" / "saved_model.pb").is_file()
    assert "[8 examples]" in first
    assert "worker 1 has nothing to do" in second
    assert "the end of worker 0" in first
    assert "the end of worker 1" in second
    assert "the end" not in (folder / "logs" / "ps-1.log").read_text()


def test_data_that_end_on_one_worker_end_workers_that_are_in_step(folder: Path) -> None:
    first, second = run(folder, "--rows=7")
    assert int(weights(folder / "log")["global_step"]) == 7
    assert steps_in(second)[-1] == (6, 6)
    assert "training ends after 7 of 12 steps: the data of a worker have ended" in first
    assert "the end of worker 0" in first


def test_a_killed_worker_is_started_again_with_all_others(folder: Path) -> None:
    """Each at its own pace, every worker takes all its steps; the last checkpoint has them all."""
    first, second = run(folder, "--sync_replicas=False", "--steps=20", "--die_at=8")
    assert "worker 1 was killed by SIGKILL; restart 1 of 3" in first
    # A checkpoint is written while the other worker takes its steps: what both count may be apart by the one under way.
    assert 39 <= int(weights(folder / "log")["global_step"]) <= 41
    assert steps_in(first)[-1][0] == steps_in(second)[-1][0] == 19
    resumed = [local for local, _ in steps_in(first)].count(0)
    assert resumed == 1, "the second start went on from the checkpoint"


def test_processes_that_somebody_else_starts_and_a_worker_that_comes_back(folder: Path) -> None:
    """Without a supervisor: the parameter server ends by itself, and the other worker waits for the one that died."""
    process = by_hand(folder, "--die_at=5")
    server, chief, victim = process("ps", 0), process("worker", 0), process("worker", 1)
    try:
        said = victim.communicate(timeout=120)[0]
        assert victim.returncode == -9, said
        again = process("worker", 1)
        said_again = again.communicate(timeout=120)[0]
        said_first = chief.communicate(timeout=60)[0]
        said_server = server.communicate(timeout=60)[0]
    finally:
        for each in (server, chief, victim):
            each.kill()
    assert (again.returncode, chief.returncode, server.returncode) == (0, 0, 0), said_again + said_first + said_server
    assert steps_in(said_first) == [(step, step) for step in range(12)]
    assert steps_in(said_again) == [(step, step) for step in range(6, 12)]
    assert int(weights(folder / "log")["global_step"]) == 12
    assert "ps 0 ends: all workers are done" in said_server
    assert "the end" not in said_server


def test_ctrl_c_saves_and_nothing_is_left_behind(folder: Path) -> None:
    started = start(folder, "-m", "runyard", "run", "train.py", "--workers", "2", "--ps", "1", "--", "--steps=1000000")
    assert started.stdout is not None
    said = ""
    while "step: 7(" not in said:
        line = started.stdout.readline()
        assert line, said
        said += line
    started.send_signal(signal.SIGINT)
    said += started.communicate(timeout=120)[0]
    assert started.returncode == 130, said
    assert "error: interrupted: everything up to here is saved; the same command goes on" in said
    assert int(weights(folder / "log")["global_step"]) == steps_in(said)[-1][0] + 1
    logs = {name: (folder / "logs" / f"{name}.log").read_text() for name in ("worker-1", "ps-0")}
    assert logs["worker-1"].splitlines()[-1].startswith("error: interrupted: worker 1 ends")
    assert "Traceback" not in said + logs["worker-1"] + logs["ps-0"]


def test_the_first_worker_saves_alone_while_it_waits_for_one_that_is_gone(folder: Path) -> None:
    """Without a supervisor; and the parameter server ends with it."""
    process = by_hand(folder, "--steps=1000000", "--save=1000000")
    server, chief, other = process("ps", 0), process("worker", 0), process("worker", 1)
    try:
        assert other.stdout is not None
        for line in other.stdout:
            if "step: 3(" in line:
                break
        other.kill()
        other.communicate(timeout=60)
        chief.send_signal(signal.SIGTERM)
        said, said_server = (each.communicate(timeout=120)[0] for each in (chief, server))
    finally:
        for each in (server, chief, other):
            each.kill()
    assert (chief.returncode, server.returncode) == (143, 143), said + said_server
    assert "error: terminated: everything up to here is saved; the same command goes on" in said
    assert int(weights(folder / "log")["global_step"]) == steps_in(said)[-1][0] + 1 >= 4
