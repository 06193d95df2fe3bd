"""Which worker is started again alone."""

import signal
from pathlib import Path

import pytest

from runyard.cluster import Cluster, Exited, Member, Place, Role
from runyard.legacy.sources import read_program
from runyard.programs.departure import wait_for_others
from runyard.programs.lost_workers import LostWorkers, works_asynchronously

CLUSTER = Cluster(worker=("localhost:1", "localhost:2"), ps=("localhost:3",))


def ended(role: Role, index: int, *, code: int) -> tuple[Place, Exited]:
    member = Member(role, index)
    return Place(CLUSTER, member), Exited(member, code)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as tf\ntf.Session()", True),
        ("import tensorflow.compat.v1 as tf\ntf.Session()", True),
        ("import tensorflow as tf\ntf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(0.1))", False),
        ("import tensorflow as tf\nimport moxing.tensorflow as mox\ntf.Session()", False),
        ("import tensorflow as tf\ntf.distribute.experimental.ParameterServerStrategy", False),
        ("print(1)", False),
    ],
)
def test_programs_whose_workers_need_nothing_of_each_other(tmp_path: Path, text: str, expected: bool) -> None:
    (tmp_path / "program.py").write_text(text)
    sources = read_program(tmp_path / "program.py", root=tmp_path)
    assert works_asynchronously(sources, asked=None) is expected


def test_a_killed_worker_is_started_alone_as_often_as_allowed(tmp_path: Path) -> None:
    lost = LostWorkers(tmp_path, times=2)
    assert not lost.start_alone(*ended(Role.WORKER, 0, code=-signal.SIGKILL)), "the first worker makes the variables"
    assert not lost.start_alone(*ended(Role.PS, 0, code=-signal.SIGKILL)), "the server had the variables"
    assert not lost.start_alone(*ended(Role.WORKER, 1, code=1)), "an error would come again"
    answers = [lost.start_alone(*ended(Role.WORKER, 1, code=-signal.SIGKILL)) for _ in range(3)]
    assert answers == [True, True, False]


def test_a_worker_that_left_without_a_word_is_not_waited_for(tmp_path: Path) -> None:
    LostWorkers(tmp_path, times=0).start_alone(*ended(Role.WORKER, 1, code=0))
    wait_for_others(tmp_path, Place(CLUSTER, Member(Role.WORKER, 0)))
    assert len(list(tmp_path.iterdir())) == 2
