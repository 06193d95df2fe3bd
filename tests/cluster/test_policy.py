import signal
from itertools import product

import pytest

from runyard.cluster.events import Completed, Event, Exited, Hung, NotStarted, Stopped
from runyard.cluster.members import Member, Role
from runyard.cluster.policy import Fail, FailurePolicy, Finish, Restart, RestartSmaller, Tally
from runyard.config.train_args import Restart as RestartKeys

WORKER, CHIEF, PS = Member(Role.WORKER, 1), Member(Role.CHIEF, 0), Member(Role.PS, 0)
OWN_ERRORS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17, 100, 127, 128, 130, 255, -signal.SIGINT]
PREEMPTIONS = [143, -signal.SIGTERM]
CRASHES = [134, 137, 138, 139, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGHUP, -40]
LOSSES: list[Event] = [Exited(WORKER, code) for code in CRASHES] + [Hung(WORKER, "silent"), Hung(None, "stuck")]


def decide(event: Event, *, policy: FailurePolicy | None = None, stop: signal.Signals | None = None, **so_far: int):
    decision, tally = (policy or FailurePolicy()).decide(Tally(**{"workers": 4, **so_far}), event, stop=stop)
    return decision, tally


def test_a_job_that_completed_is_finished() -> None:
    assert decide(Completed())[0] == Finish(0)
    assert decide(Completed(), stop=signal.SIGTERM)[0] == Finish(0)


@pytest.mark.parametrize("code", OWN_ERRORS)
def test_what_a_program_reports_is_final(code: int) -> None:
    for member, stop in product((WORKER, CHIEF, PS), (None, signal.SIGTERM)):
        policy = FailurePolicy(min_workers=1)
        decision, tally = decide(Exited(member, code), policy=policy, stop=stop)
        assert isinstance(decision, Fail)
        assert decision.exit_code == (130 if code < 0 else code)
        assert tally == Tally(workers=4)


@pytest.mark.parametrize("event", LOSSES, ids=str)
def test_a_loss_restarts_until_the_budget_is_used_up(event: Event) -> None:
    tally = Tally(workers=4)
    for number in (1, 2, 3):
        decision, tally = FailurePolicy().decide(tally, event)
        assert isinstance(decision, Restart)
        assert decision.why.endswith(f"; restart {number} of 3; going on from the newest checkpoint")
    decision, tally = FailurePolicy().decide(tally, event)
    assert isinstance(decision, Fail)
    assert "restart.max_restarts" in decision.why
    assert (tally.restarts, tally.preemptions) == (3, 0)


@pytest.mark.parametrize(
    ("event", "code"), [(Exited(WORKER, -9), 137), (Exited(WORKER, 139), 139), (Hung(None, "stuck"), 138)], ids=str
)
def test_giving_up_has_the_exit_code_of_the_loss(event: Event, code: int) -> None:
    decision, _ = decide(event, policy=FailurePolicy(max_restarts=0))
    assert isinstance(decision, Fail)
    assert decision.exit_code == code


@pytest.mark.parametrize("code", PREEMPTIONS)
def test_preemptions_are_counted_apart(code: int) -> None:
    decision, tally = decide(Exited(WORKER, code), policy=FailurePolicy(max_restarts=0), preemptions=1000)
    assert isinstance(decision, Restart)
    assert (tally.restarts, tally.preemptions) == (0, 1001)
    decision, _ = decide(Exited(WORKER, code), policy=FailurePolicy(max_preemptions=2), preemptions=2)
    why = f"{Exited(WORKER, code)}; it is the job's preemption 3, and restart.max_preemptions is 2"
    assert decision == Fail(why, 143)


def test_preemptions_beyond_their_budget_cost_a_worker_each_and_end_the_job_where_none_can_be_spared() -> None:
    policy, tally = FailurePolicy(max_preemptions=1, min_workers=2), Tally(workers=4)
    decisions: list[object] = []
    for began_at in (0, 10, 20, 30):
        decision, tally = policy.decide(tally, Exited(WORKER, 143), began_at=began_at)
        decisions.append(decision)
    assert [type(decision) for decision in decisions] == [Restart, RestartSmaller, RestartSmaller, Fail]
    assert "restart.min_workers is 2, so the job cannot go on with fewer" in str(decisions[-1])
    assert (tally.workers, tally.preemptions) == (2, 1)


def test_only_a_newer_checkpoint_gives_the_budget_back() -> None:
    policy, event = FailurePolicy(max_restarts=2), Exited(WORKER, -9)
    tally = Tally(workers=2)
    counted: list[int] = []
    for began_at in (None, 0, 100, 100, 200):
        decision, tally = policy.decide(tally, event, began_at=began_at)
        assert isinstance(decision, Restart)
        counted.append(tally.restarts)
    assert counted == [1, 2, 1, 2, 1]
    _, tally = policy.decide(tally, event, began_at=None)
    assert isinstance(policy.decide(tally, event, began_at=200)[0], Fail)


def test_an_older_checkpoint_is_no_progress() -> None:
    policy, tally = FailurePolicy(max_restarts=1), Tally(workers=2, began_at=100)
    decision, tally = policy.decide(tally, Exited(WORKER, -9), began_at=50)
    assert isinstance(decision, Restart)
    assert isinstance(policy.decide(tally, Exited(WORKER, -9), began_at=50)[0], Fail)


def test_pauses_grow_while_nothing_is_achieved() -> None:
    policy, tally = FailurePolicy(max_restarts=0), Tally(workers=2)
    pauses: list[float] = []
    for _ in range(8):
        decision, tally = policy.decide(tally, Exited(WORKER, 143), began_at=5)
        assert isinstance(decision, Restart)
        pauses.append(decision.pause)
    assert pauses == [0, 1, 2, 4, 8, 16, 30, 30]
    decision, _ = policy.decide(tally, Exited(WORKER, 143), began_at=6)
    assert decision == Restart("worker 1 was preempted; going on from the newest checkpoint", 0.0)


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("min_workers", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("member", [WORKER, CHIEF, PS, None])
def test_a_worker_that_is_lost_for_good_can_be_done_without(
    workers: int, min_workers: int | None, member: Member | None
) -> None:
    policy = FailurePolicy(max_restarts=0, max_preemptions=0, min_workers=min_workers)
    events: list[Event] = [Hung(member, "silent")]
    if member:
        events += [Exited(member, -9), Exited(member, 143), NotStarted(member, "no memory")]
    for event in events:
        decision, tally = policy.decide(Tally(workers=workers, fruitless=2), event)
        if member == WORKER and min_workers is not None and workers > min_workers:
            assert isinstance(decision, RestartSmaller)
            assert decision.workers == workers - 1
            assert tally == Tally(workers=workers - 1)
        else:
            assert isinstance(decision, Fail)
            assert tally.workers == workers


def test_a_worker_that_comes_back_is_not_given_up() -> None:
    assert isinstance(decide(Exited(WORKER, -9), policy=FailurePolicy(min_workers=1))[0], Restart)


def test_a_member_that_cannot_be_started_is_not_tried_again() -> None:
    decision, _ = decide(NotStarted(WORKER, "Cannot allocate memory"))
    assert decision == Fail("worker 1 cannot be started: Cannot allocate memory", 11)


@pytest.mark.parametrize("event", [Exited(WORKER, 13), Exited(WORKER, 1, port_taken=True)])
def test_a_taken_port_costs_no_restart_but_is_not_tried_for_ever(event: Exited) -> None:
    policy, tally = FailurePolicy(max_restarts=0), Tally(workers=2)
    for _ in range(4):
        decision, tally = policy.decide(tally, event)
        assert decision == Restart("worker 1 found its port taken; starting with other ports")
    assert tally.restarts == 0
    assert policy.decide(tally, event)[0] == Fail("worker 1 found its port taken, 5 times in a row", event.code)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("event", [Stopped(), *LOSSES, Exited(WORKER, 143), Exited(WORKER, 13)], ids=str)
def test_nothing_is_restarted_after_a_stop(event: Event, stop: signal.Signals) -> None:
    assert decide(event, stop=stop)[0] == Finish(128 + stop)


def test_the_job_file_sets_it() -> None:
    keys = RestartKeys(max_restarts=7, max_preemptions=2, min_workers=3)
    assert FailurePolicy.of(keys) == FailurePolicy(max_restarts=7, max_preemptions=2, min_workers=3)
    assert FailurePolicy.of(RestartKeys()) == FailurePolicy()


def test_a_job_that_may_not_be_restarted_says_so_and_goes_on_smaller() -> None:
    decision, _ = decide(Exited(WORKER, -9), policy=FailurePolicy(max_restarts=0, min_workers=3))
    why = "worker 1 was killed by SIGKILL; restart.max_restarts is 0; going on from the newest checkpoint"
    assert decision == RestartSmaller(f"{why} with 3 of 4 workers", 3)
