"""`runyard run --workers N --ps M`: one program as several processes. None of these starts TensorFlow."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.conftest import living  # noqa: F401
from tests.programs.runs import runyard, write

pytestmark = pytest.mark.slow

TOLD = """
    import json, os, pathlib, sys, time
    config, out = json.loads(os.environ['TF_CONFIG']), pathlib.Path(os.environ['OUT'])
    own = pathlib.Path(str(config['task']))
    own.write_text(json.dumps([sys.argv, config, sys.path[0]]))
    own.rename(out / own)
    while len(list(out.iterdir())) < sum(map(len, config['cluster'].values())):
        time.sleep(0.01)
    NAMES = ['job_name']
"""


def told(folder: Path) -> dict[str, tuple[list[str], dict[str, dict[str, list[str]]], str]]:
    return {path.name: json.loads(path.read_text()) for path in folder.iterdir()}


def test_every_process_is_told_who_it_is(tmp_path: Path) -> None:
    write(tmp_path, code__prog=TOLD)
    (tmp_path / "out").mkdir()
    done = runyard(
        "run", "code/prog.py", "--workers", "2", "--ps", "1", "--", "--steps=3", cwd=tmp_path, OUT=str(tmp_path / "out")
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "code/prog.py imports no TensorFlow\n"
    members = told(tmp_path / "out")
    assert sorted(members) == [str({"type": kind, "index": i}) for kind, i in (("ps", 0), ("worker", 0), ("worker", 1))]
    for name, (arguments, config, first_on_path) in members.items():
        cluster = config["cluster"]
        kind, index = re.findall(r"'type': '(\w+)', 'index': (\d)", name)[0]
        assert arguments == [
            "code/prog.py",
            "--steps=3",
            f"--job_name={kind}",
            f"--task_index={index}",
            f"--ps_hosts={','.join(cluster['ps'])}",
            f"--worker_hosts={','.join(cluster['worker'])}",
        ]
        assert first_on_path == str(tmp_path / "code")


def test_a_program_that_names_no_such_flag_reads_tf_config_alone(tmp_path: Path) -> None:
    write(tmp_path, trainer____init__="", trainer__task=TOLD.replace("job_name", "other"))
    (tmp_path / "out").mkdir()
    done = runyard("run", "-m", "trainer.task", "--workers", "2", "--", "a", cwd=tmp_path, OUT=str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert [arguments[1:] for arguments, _, _ in told(tmp_path / "out").values()] == [["a"], ["a"]]


def test_a_member_of_a_cluster_that_somebody_else_started(tmp_path: Path) -> None:
    write(tmp_path, prog="import sys\nprint(sys.argv[1:], 'worker_hosts')")
    config = {"cluster": {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}, "task": {"type": "worker", "index": 0}}
    flags = ["--job_name=worker", "--task_index=1", "--ps_hosts=c:1", "--worker_hosts=a:1,b:1"]
    by_config = runyard(
        "run",
        "--workers",
        "2",
        "--ps",
        "1",
        "prog.py",
        "--",
        "x",
        "--",
        "y",
        cwd=tmp_path,
        TF_CONFIG=json.dumps(config),
    )
    assert by_config.stdout == f"{['x', *flags, '--', 'y']} worker_hosts\n"
    by_flags = runyard("run", "--workers", "2", "--ps", "1", "prog.py", "--", *flags, cwd=tmp_path)
    assert by_flags.stdout == f"{flags} worker_hosts\n"
    wrong = runyard("run", "--workers", "2", "prog.py", "--", "--job_name=worker", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--job_name is given without --task_index and --worker_hosts" in wrong.stderr


@pytest.mark.parametrize(("workers", "told"), [("2", False), ("3", True)])
def test_a_cluster_that_is_there_wins_over_the_command(tmp_path: Path, workers: str, told: bool) -> None:
    write(tmp_path, prog="print('here')")
    config = {"cluster": {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}, "task": {"type": "chief", "index": 0}}
    options = ("--workers", workers, "--ps", "1")
    done = runyard("run", *options, "prog.py", cwd=tmp_path, TF_CONFIG=json.dumps(config))
    assert done.stdout == "here\n"
    assert ("describes 2 workers and 1 parameter server, and wins" in done.stderr) == told


def test_servers_end_with_the_workers_and_a_worker_that_is_done_waits_for_the_others(tmp_path: Path) -> None:
    write(
        tmp_path,
        prog="""
            import json, os, pathlib, time
            task = json.loads(os.environ['TF_CONFIG'])['task']
            if task['type'] == 'ps':
                time.sleep(100)
            if task['index'] == 0:
                pathlib.Path('pid').write_text(str(os.getpid()))
            else:
                while not os.path.exists('pid'):
                    time.sleep(0.01)
                time.sleep(1)
                pid = pathlib.Path('pid').read_text()
                pathlib.Path('lives').write_text(str(os.path.exists(f'/proc/{pid}')))
            print('done')
        """,
    )
    done = runyard("run", "prog.py", "--workers", "2", "--ps", "1", "--logs", "kept", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert (tmp_path / "lives").read_text() == "True"
    assert "done" in (tmp_path / "kept" / "worker-1.log").read_text()


def test_a_worker_that_leaves_in_a_hurry_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, prog="import json, os\nif json.loads(os.environ['TF_CONFIG'])['task']['index']: os._exit(0)")
    assert runyard("run", "prog.py", "--workers", "2", cwd=tmp_path).returncode == 0


def test_the_error_of_the_program_is_on_top_with_its_own_exit_code(tmp_path: Path) -> None:
    write(
        tmp_path,
        prog="""
            import json, os, sys, time
            index = json.loads(os.environ['TF_CONFIG'])['task']['index']
            if index == 1:
                if 'raise' in sys.argv:
                    raise KeyError('mine')
                sys.exit(7)
            time.sleep(100)
        """,
    )
    done = runyard("run", "prog.py", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 7
    done = runyard("run", "prog.py", "--workers", "2", "--", "raise", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    top = lines.index("error: worker 1 ended with code 1")
    assert lines[top + 1] == "[worker 1] Traceback (most recent call last):"
    assert f'[worker 1]   File "{tmp_path}/prog.py", line 6, in <module>' in lines
    assert "[worker 1] KeyError: 'mine'" in lines


@pytest.mark.parametrize("victim", ["worker", "ps"])
def test_a_killed_process_starts_all_again(tmp_path: Path, victim: str) -> None:
    write(
        tmp_path,
        prog="""
            import json, os, pathlib, signal, sys, time
            task = json.loads(os.environ['TF_CONFIG'])['task']
            starts = pathlib.Path('-'.join(map(str, task.values())))
            starts.write_text(starts.read_text() + 'x' if starts.exists() else 'x')
            first = starts.read_text() == 'x'
            if first and task == {'type': sys.argv[1], 'index': task['index']}:
                while not os.path.exists('worker-0'):
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGKILL)
            if first or task['type'] == 'ps':
                time.sleep(100)
        """,
    )
    done = runyard("run", "prog.py", "--workers", "1", "--ps", "1", "--", victim, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "worker-0").read_text() == "xx"
    assert f"{victim} 0 was killed by SIGKILL; restart 1 of 3" in done.stderr
    (tmp_path / "worker-0").unlink()
    (tmp_path / "ps-0").unlink(missing_ok=True)  # A job whose workers are done does not wait for it to begin.
    options = ["--workers", "1", "--ps", "1", "--max-restarts", "0"]
    refused = runyard("run", "prog.py", *options, "--", victim, cwd=tmp_path)
    assert refused.returncode == 137


def test_ctrl_c_ends_all_and_leaves_nothing_behind(tmp_path: Path, living: Callable[[], list[str]]) -> None:  # noqa: F811
    write(
        tmp_path,
        prog="""
            import json, os, pathlib, time
            task = json.loads(os.environ['TF_CONFIG'])['task']
            pathlib.Path('-'.join(map(str, task.values()))).touch()
            while True:
                time.sleep(0.1)
        """,
    )
    command = [sys.executable, "-m", "runyard", "run", "prog.py", "--workers", "2", "--ps", "1"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as group:
        while not all((tmp_path / name).exists() for name in ("worker-0", "worker-1", "ps-0")):
            time.sleep(0.01)
        os.kill(group.pid, signal.SIGINT)
        errors = group.communicate(timeout=60)[1]
    assert group.returncode == 130
    assert "all members are asked to end; a second Ctrl-C or SIGTERM" in errors
    assert living() == []
