"""Workers that a platform starts: each is told who it is, nobody supervises them, and they share no disk."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runyard.cluster.ports import HeldPorts
from runyard.errors import PeerLost
from tests.runner.hosts import two_hosts
from tests.runner.jobs import metrics, same_bits, start_training
from tests.runner.worker_jobs import run, weights, write

pytestmark = pytest.mark.slow


@contextmanager
def ended_at_last(*processes: subprocess.Popen[str]) -> Iterator[list[str]]:
    """What each has said, when all have ended by themselves; nothing lives on."""
    try:
        yield [process.communicate(timeout=120)[1] for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()


def apart(folder: Path, *, names: tuple[str, str]) -> list[Path]:
    """The same job on two disks."""
    return [write(folder / name) for name in names]


def test_flags_make_the_same_command_a_member_and_one_whose_peer_is_lost_asks_to_be_started_again(
    calm: Path, tmp_path: Path
) -> None:
    jobs = apart(tmp_path, names=("first", "second"))
    with HeldPorts(2) as ports:
        hosts = ",".join(f"127.0.0.1:{number}" for number in ports.numbers)

    def start(**environment: str) -> list[subprocess.Popen[str]]:
        first = ("--job_name", "worker", "--task_index=0", "--ps_hosts=", f"--worker_hosts={hosts}")
        second = ("--job-name=worker", "--task-index", "1", "--worker-hosts", hosts)
        environment = {"JOB_KERAS": "3", **environment}
        return [start_training(job, *flags, **environment) for job, flags in zip(jobs, (first, second), strict=True)]

    pair = start(JOB_SIGNALS=json.dumps([(9, 9, True)]))
    with ended_at_last(*pair) as said:
        assert [process.returncode for process in pair] == [-9, PeerLost.exit_code], said
        assert "error: another worker of this job is gone" in said[1]
    pair = start()
    with ended_at_last(*pair) as said:
        assert [process.returncode for process in pair] == [0, 0], said
    assert "Going on from the checkpoint at step 6" in said[0]
    assert same_bits(weights(calm), weights(jobs[0]))
    assert same_bits(weights(calm), weights(jobs[1], name="weights.npz.other.npz"))
    assert metrics(calm) == metrics(jobs[0])
    # What a run writes is the chief's to write.
    assert not {"checkpoints", "saved_model", "metrics.jsonl"}.intersection(
        path.name for path in jobs[1].parent.iterdir()
    )


def test_flags_that_contradict_tf_config_are_told(calm: Path) -> None:
    cluster = {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}
    config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}})
    done = run(calm, "--task_index", "0", TF_CONFIG=config)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: --task_index is 0, but TF_CONFIG says 1")


def test_two_hosts_train_together_and_continue_from_a_model_that_one_of_them_has(calm: Path, tmp_path: Path) -> None:
    jobs = apart(tmp_path, names=("chief", "worker"))
    with two_hosts() as hosts:
        cluster = {role: [f"{host.address}:2222"] for role, host in zip(("chief", "worker"), hosts, strict=True)}

        def train_together(*options: str) -> list[str]:
            pair = [
                start_training(
                    job,
                    *options,
                    on=host.command,
                    JOB_KERAS="3",
                    TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}),
                )
                for job, host, role in zip(jobs, hosts, cluster, strict=True)
            ]
            with ended_at_last(*pair) as said:
                assert [process.returncode for process in pair] == [0, 0], said
            return said

        train_together()
        assert same_bits(weights(calm), weights(jobs[0]))
        assert same_bits(weights(calm), weights(jobs[1], name="weights.npz.other.npz"))
        assert metrics(calm) == metrics(jobs[0])
        said = train_together("--fresh", "--set", "model_args.continue_training=true")
    assert "and from the state of its optimizers" in said[0]
    assert "There is no model at" in said[1]
    assert same_bits(weights(jobs[0]), weights(jobs[1], name="weights.npz.other.npz"))
    assert not same_bits(weights(calm), weights(jobs[0]))
