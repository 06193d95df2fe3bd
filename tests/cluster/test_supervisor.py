import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runyard.cluster import Place, supervise
from runyard.errors import StorageError
from tests.cluster.groups import Groups

pytestmark = pytest.mark.slow


def test_all_members_end_well(groups: Groups) -> None:
    ending = groups.run('tell(f"{role}{index}", os.environ["TF_CONFIG"])', workers=3)
    assert (ending.exit_code, ending.rounds, ending.workers) == (0, 1, 3)
    configs = [json.loads(groups.told(f"worker{index}")) for index in range(3)]
    assert [config["task"] for config in configs] == [{"type": "worker", "index": index} for index in range(3)]
    assert len({json.dumps(config["cluster"]) for config in configs}) == 1
    assert len(set(configs[0]["cluster"]["worker"])) == 3


def test_members_can_use_the_ports_that_they_are_given(groups: Groups) -> None:
    ending = groups.run(
        """
        import socket
        config = json.loads(os.environ["TF_CONFIG"])
        port = int(config["cluster"][role][index].rpartition(":")[2])
        server = socket.create_server(("", port))
        tell(f"up{index}")
        wait_for(f"up{1 - index}")
        """
    )
    assert ending.exit_code == 0
    assert ending.rounds == 1


def test_only_the_first_worker_speaks_and_all_is_kept(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    print(f"out {index}")
    sys.stderr.write(f"err {index}, half a line")
    """
    assert groups.run(code).exit_code == 0
    shown = capfd.readouterr()
    assert shown.out == "out 0\n"
    assert shown.err == "err 0, half a line\n"
    assert groups.log("worker-1").splitlines()[1:] == ["out 1", "err 1, half a line"]
    assert sorted(groups.log("worker-0").splitlines()[1:]) == ["err 0, half a line", "out 0"]


def test_verbose_shows_all_lines_with_their_member(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    assert groups.run('print("one\\ntwo")', verbose=True).exit_code == 0
    shown = capfd.readouterr()
    assert shown.out == "one\ntwo\n"
    assert shown.err.splitlines() == ["[worker 1] one", "[worker 1] two"]


def test_the_first_failure_is_reported_and_not_its_consequences(
    groups: Groups, capfd: pytest.CaptureFixture[str]
) -> None:
    ending = groups.run(
        """
        if index == 1:
            wait_for("ready0")
            wait_for("ready2")
            print("some line")
            sys.stderr.write("error: the callback raised\\n  at line 7\\n")
            tell("failed", os.getpid())
            sys.exit(4)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        tell(f"ready{index}")
        wait_for("failed")
        while Path(f"/proc/{(folder / 'failed').read_text()}").exists():
            time.sleep(0.001)
        sys.stderr.write("error: a peer is gone\\n")
        sys.exit(11)
        """,
        workers=3,
    )
    assert (ending.exit_code, ending.rounds) == (4, 1)
    lines = capfd.readouterr().err.splitlines()
    assert lines[:3] == [
        "error: worker 1 ended with code 4",
        "[worker 1] error: the callback raised",
        "[worker 1]   at line 7",
    ]
    assert lines[3].endswith("logs/worker-1.log")
    assert len(lines) == 4
    assert "a peer is gone" in groups.log("worker-0")


def test_the_error_of_the_speaking_member_is_not_shown_twice(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    assert groups.run('sys.exit("error: mine" if index == 0 else 0)').exit_code == 1
    assert capfd.readouterr().err.splitlines()[:2] == ["error: mine", "error: worker 0 ended with code 1"]


_SAME_ERROR = """
tell(f"up{index}")
for other in range(3):
    wait_for(f"up{other}")
sys.stderr.write("error: the callback raised\\n  at line 7\\n")
sys.exit(4)
"""


def test_an_error_of_all_workers_is_shown_once(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    assert groups.run(_SAME_ERROR, workers=3).exit_code == 4
    shown = capfd.readouterr().err
    assert shown.count("error: the callback raised") == shown.count("at line 7") == 1
    assert "ended with code 4, with the same error on all 3 workers\n" in shown


def test_an_error_of_some_workers_names_them(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    some = 'tell("up0") if index == 0 else None\nif index == 0: time.sleep(30)\n'
    assert groups.run(some + _SAME_ERROR, workers=3).exit_code == 4
    assert ", with the same error on worker 1, worker 2\n" in capfd.readouterr().err


@pytest.mark.parametrize("code", [0, 7])
@pytest.mark.parametrize("layout", [{"workers": 2}, {"workers": 1, "ps": 1}], ids=["workers", "servers"])
def test_a_member_that_ends_before_its_work_is_done_is_the_cause(
    groups: Groups, capfd: pytest.CaptureFixture[str], layout: dict[str, int], code: int
) -> None:
    """Were it not named, the message would be that of those who miss it, or of nobody."""
    role, index = ("chief", 0) if "ps" in layout else ("worker", 1)
    ending = groups.run(
        f"""
        from runyard.cluster import Heartbeat
        with Heartbeat.of_this_process().working():
            tell(f"{{role}}{{index}}")
            if (role, index) == ("{role}", {index}):
                wait_for("worker0")
                os._exit({code})
            time.sleep(30)
        """,
        **layout,
    )
    assert (ending.exit_code, ending.rounds) == (4, 1)
    shown = capfd.readouterr().err
    assert f"error: {role} {index} ended too early: with code {code}, but before the training" in shown
    assert "hint: something in the script has ended the process" in shown
    assert "request_stop" in shown


def test_a_member_that_says_that_it_is_done_is_done(groups: Groups) -> None:
    code = """
    from runyard.cluster import Heartbeat
    with Heartbeat.of_this_process().working():
        pass
    tell("done") if index else wait_for("done")
    """
    assert groups.run(code).exit_code == 0


@pytest.mark.parametrize("code", [1, 4, 10])
def test_an_error_that_a_program_reports_is_not_repeated(groups: Groups, code: int) -> None:
    ending = groups.run(f"sys.exit({code}) if index else time.sleep(30)")
    assert (ending.exit_code, ending.rounds) == (code, 1)


def test_a_killed_worker_starts_all_again(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    ending = groups.run(
        """
        if count(f"starts{index}") == 1:
            if index == 1:
                wait_for("starts0")
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(30)
        """
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)
    assert groups.told("starts0") == groups.told("starts1") == "2"
    assert "worker 1 was killed by SIGKILL; restart 1 of 3; going on from the newest" in capfd.readouterr().err


def test_restarts_that_get_no_further_are_bounded(groups: Groups) -> None:
    ending = groups.run('count("starts") if index else None; os.abort() if index else time.sleep(30)', max_restarts=2)
    assert (ending.exit_code, ending.rounds) == (134, 3)
    assert "2 of 2 restarts brought it no further" in ending.why
    assert groups.told("starts") == "3"


def test_restarts_that_get_further_are_not(groups: Groups) -> None:
    ending = groups.run(
        """
        from runyard.cluster import Heartbeat
        if index == 0:
            times = count("starts")
            Heartbeat.of_this_process().beat(10 * times)
            os.abort() if times < 5 else None
        """,
        max_restarts=1,
    )
    assert (ending.exit_code, ending.rounds) == (0, 5)


def test_a_preempted_worker_has_a_budget_of_its_own(groups: Groups) -> None:
    code = """
    if index == 1 and count("starts") <= 2:
        os.kill(os.getpid(), signal.SIGTERM)
    if index == 0 and int((folder / "starts").read_text() if (folder / "starts").exists() else 0) < 3:
        time.sleep(0.2)
    """
    assert groups.run(code, max_restarts=0).rounds == 3
    (groups.folder / "starts").unlink()
    ending = groups.run(code, max_preemptions=1)
    assert (ending.exit_code, ending.rounds) == (143, 2)


@pytest.mark.parametrize("verbose", [False, True])
def test_what_members_say_when_they_are_preempted_is_no_error_of_a_job_that_goes_on(
    groups: Groups, capfd: pytest.CaptureFixture[str], verbose: bool
) -> None:
    code = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    starts = count(f"starts{index}")
    wait_for(f"starts{1 - index}")
    sys.stderr.write("at work\\n")
    if starts <= int(os.environ["TIMES"]):
        sys.stderr.write("error: terminated: everything is saved\\n")
        sys.exit(143)
    """
    assert groups.run(code, verbose=verbose, env={"TIMES": "1"}).rounds == 2
    shown = capfd.readouterr().err
    assert "terminated" not in shown
    assert shown.endswith("at work\n")
    assert "was preempted; going on" in shown
    assert (groups.folder / "logs" / "worker-0.log").read_text().count("error: terminated: ") == 1
    assert groups.run(code, verbose=verbose, max_preemptions=0, env={"TIMES": "9"}).exit_code == 143
    assert "error: terminated: everything is saved\n" in capfd.readouterr().err


def test_others_that_save_after_a_preemption_are_waited_for(groups: Groups) -> None:
    ending = groups.run(
        """
        if count(f"starts{index}") == 2:
            sys.exit(0)
        if index == 1:
            wait_for("ready")
            sys.exit(143)
        def save(*_):
            time.sleep(0.5)
            tell("saved")
            sys.exit(143)
        signal.signal(signal.SIGTERM, save)
        tell("ready")
        time.sleep(30)
        """
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)
    assert groups.told("saved") == ""


def test_a_worker_that_always_falls_is_given_up(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    ending = groups.run(
        """
        workers = json.loads(os.environ["TF_CONFIG"])["cluster"]["worker"]
        if len(workers) == 3:
            os.abort() if index == 1 else time.sleep(30)
        """,
        workers=3,
        max_restarts=1,
        min_workers=2,
    )
    assert (ending.exit_code, ending.rounds, ending.workers) == (0, 3, 2)
    assert "going on from the newest checkpoint with 2 of 3 workers" in capfd.readouterr().err


def test_servers_are_ended_when_the_chief_is_done(groups: Groups) -> None:
    ending = groups.run(
        """
        tell(f"{role}{index}")
        if role != "chief":
            time.sleep(30)
        for name in ("worker0", "worker1", "ps0"):
            wait_for(name)
        """,
        ps=1,
    )
    assert (ending.exit_code, ending.rounds) == (0, 1)


@pytest.mark.parametrize(("lost", "other"), [("ps", "chief0"), ("chief", "ps0")])
def test_a_lost_parameter_server_or_chief_starts_all_again(groups: Groups, lost: str, other: str) -> None:
    ending = groups.run(
        f"""
        first = count(f"{{role}}{{index}}") == 1
        if first and role == "{lost}":
            wait_for("{other}")
            os.abort()
        if first or role != "chief":
            time.sleep(30)
        """,
        workers=1,
        ps=1,
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)


def test_a_taken_port_means_other_ports(groups: Groups) -> None:
    ending = groups.run(
        """
        import socket
        addresses = json.loads(os.environ["TF_CONFIG"])["cluster"]["worker"]
        ports = [int(address.rpartition(":")[2]) for address in addresses]
        tell(f"ports{count('starts')}", ports) if index else None
        if index == 0 and not (folder / "thief").exists():
            thief = socket.create_server(("", ports[1]))
            tell("thief")
            time.sleep(30)
        wait_for("thief")
        server = socket.create_server(("", ports[index]))
        """,
        max_restarts=0,
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)
    assert groups.told("ports1") != groups.told("ports2")


def test_a_port_that_is_always_taken_is_an_error(groups: Groups) -> None:
    ending = groups.run("sys.exit(13) if index else None")
    assert (ending.exit_code, ending.rounds) == (13, 5)


def test_a_program_that_does_not_exist_is_one_clear_error(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    ending = supervise(replace(groups.spec(""), command=lambda place: ["/no/such/program"]))
    assert (ending.exit_code, ending.rounds) == (127, 1)
    assert "error: cannot start /no/such/program: No such file or directory" in capfd.readouterr().err


def test_a_machine_without_room_for_all_goes_on_with_fewer(groups: Groups) -> None:
    spec = groups.spec("time.sleep(0.1)", workers=3, min_workers=1)

    def command(place: Place) -> list[str]:
        return [*spec.command(place), "x" * 200_000] if place.member.index == 2 else list(spec.command(place))

    ending = supervise(replace(spec, command=command))
    assert (ending.exit_code, ending.rounds, ending.workers) == (0, 2, 2)


def test_a_member_that_cannot_be_started_ends_the_others(groups: Groups) -> None:
    ending = groups.run("time.sleep(30)", env={"LONG": "x" * 200_000})
    assert (ending.exit_code, ending.why) == (11, "worker 0 cannot be started: Argument list too long")


def test_logs_that_cannot_be_written_are_one_clear_error(groups: Groups) -> None:
    (groups.folder / "logs").write_text("")
    with pytest.raises(StorageError, match=r"logs into .*logs: it is a file\n  hint: choose another folder"):
        groups.run("")


def test_a_full_disk_does_not_end_a_job(groups: Groups, capfd: pytest.CaptureFixture[str]) -> None:
    (groups.folder / "logs").mkdir()
    (groups.folder / "logs" / "worker-1.log").symlink_to("/dev/full")
    assert groups.run("print(index)").exit_code == 0
    shown = capfd.readouterr()
    assert shown.out == "0\n"
    assert shown.err.count("worker-1.log is not written any more: No space left on device") == 1
    assert groups.log("worker-0").splitlines()[1:] == ["0"]


def test_a_group_can_be_supervised_from_another_thread(groups: Groups) -> None:
    with ThreadPoolExecutor() as pool:
        assert pool.submit(groups.run, "print(index)").result(timeout=30).exit_code == 0


def test_what_members_have_started_ends_with_them(groups: Groups, living: Callable[[], list[str]]) -> None:
    ending = groups.run(
        """
        sleep = ["sleep", "30"]
        subprocess.Popen(sleep)
        subprocess.Popen(sleep, start_new_session=True)
        subprocess.Popen(sleep, env={"RUNYARD_TEST": os.environ["RUNYARD_TEST"]})
        """
    )
    assert ending.exit_code == 0
    assert living() == []
