"""What workers tell each other, through a parameter server in this process."""

import signal
from pathlib import Path
from typing import Any

import pytest

from runyard.errors import PeerLost


@pytest.fixture
def server(tensorflow: Any) -> str:
    """Where a parameter server listens."""
    return str(tensorflow.compat.v1.train.Server({"ps": ["localhost:0"]}, job_name="ps", task_index=0).target)


def worker(index: int, *, server: str) -> tuple[Any, Any]:
    """What one of three workers has, and the session that it uses it in."""
    import tensorflow.compat.v1 as tf

    from moxing.tensorflow.executor.cluster_signals import Signals

    with tf.Graph().as_default():
        return Signals(run=0, worker=index, workers=3), tf.Session(server)


def test_a_chief_that_stops_waits_for_the_others_but_not_for_long(
    server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from moxing.tensorflow.executor import cluster_signals
    from moxing.tensorflow.executor.lines import lines_shown

    monkeypatch.setattr(cluster_signals, "_TO_FOLLOW", 0.2)
    (chief, session), (other, its_session), (last, last_session) = (worker(index, server=server) for index in range(3))
    with session, its_session, last_session, lines_shown():
        chief.make_ready(session, first=4)
        assert other.halted_by(its_session) is None
        chief.halt_all(session, by=signal.SIGTERM)
        assert other.halted_by(its_session) is signal.SIGTERM
        other.say_done(its_session)
        chief.wait_until_done(session, stopping=lambda: True)
        assert "1 other workers have not ended" in capsys.readouterr().err
        last.say_done(last_session)
        chief.wait_until_done(session, stopping=lambda: False)
        chief.make_ready(session, first=4)
        assert other.halted_by(its_session) is None, "a chief that comes back begins anew"


def test_the_last_checkpoint_has_the_steps_that_only_others_have_taken(tmp_path: Path, tensorflow: Any) -> None:
    from moxing.tensorflow.executor.request import RunRequest
    from moxing.tensorflow.executor.saving import CheckpointWriter

    tf = tensorflow.compat.v1
    asked: Any = dict.fromkeys(RunRequest.__dataclass_fields__)
    steps = {"of all": 7}
    with tf.Graph().as_default(), tf.Session() as session:
        weight = tf.get_variable("weight", initializer=1.0)
        session.run(weight.initializer)
        request = RunRequest(**{**asked, "log_dir": str(tmp_path), "save_model_steps": 5})
        writer = CheckpointWriter(request, saver=tf.train.Saver(), number=lambda *_: steps["of all"])
        writer.save(session, 5)
        writer.save(session, 5)
        steps["of all"] = 9
        writer.save(session, 5)
        assert {path.name for path in tmp_path.glob("*.index")} == {"model.ckpt-7.index", "model.ckpt-9.index"}
        session.run(weight.assign(2.0))
        writer.save(session, 5)
        assert tensorflow.train.load_variable(str(tmp_path), "weight") == 1.0
        writer.save(session, 5, anyway=True)
        assert tensorflow.train.load_variable(str(tmp_path), "weight") == 2.0


def test_steps_do_not_go_on_with_what_a_lost_parameter_server_has_instead_of_its_variables(tensorflow: Any) -> None:
    from moxing.tensorflow.executor.cluster_sessions import OpenedOnce

    tf = tensorflow.compat.v1

    class Losing(tf.train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            raise tf.errors.UnavailableError(None, None, "Socket closed")

    with tf.Graph().as_default():
        nothing = tf.no_op()
        creator = OpenedOnce(tf.train.ChiefSessionCreator())
        with (
            tf.train.MonitoredSession(session_creator=creator, hooks=[Losing()]) as session,
            pytest.raises(PeerLost, match="a parameter server was lost"),
        ):
            session.run(nothing)
