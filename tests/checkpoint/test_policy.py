from runyard.checkpoint.policy import CheckpointPolicy


def test_nothing_is_due_when_every_rule_is_off() -> None:
    policy = CheckpointPolicy(None, None, None)
    assert not policy.due(step=10**6, now=10.0**6, epochs_done=100)


def test_steps_count_from_the_last_multiple() -> None:
    policy = CheckpointPolicy(100, None, None)
    assert [policy.due(step=step, now=0) for step in (0, 99, 100, 199, 250)] == [False, False, True, True, True]
    policy.written(step=150, now=0)
    assert [policy.due(step=step, now=0) for step in (150, 199, 200)] == [False, False, True]


def test_seconds_count_from_the_last_checkpoint() -> None:
    policy = CheckpointPolicy(None, 60.0, None, last_time=1000.0)
    assert [policy.due(step=1, now=now) for now in (1000.0, 1059.9, 1060.0)] == [False, False, True]
    policy.written(step=1, now=1060.0)
    assert not policy.due(step=2, now=1119.0)
    assert policy.due(step=2, now=1120.0)


def test_the_same_step_is_not_saved_twice_within_an_epoch() -> None:
    policy = CheckpointPolicy(1, 0.1, 1)
    policy.written(step=5, now=0)
    assert not policy.due(step=5, now=1000)


def test_epochs_are_due_at_their_end_only() -> None:
    policy = CheckpointPolicy(None, None, 2)
    assert [policy.due(step=9, now=0, epochs_done=done) for done in (None, 1, 2, 3, 4)] == [
        False,
        False,
        True,
        False,
        True,
    ]


def test_the_end_of_an_epoch_is_saved_even_if_its_last_step_was() -> None:
    policy = CheckpointPolicy(None, None, 1)
    policy.written(step=5, now=0)
    assert policy.due(step=5, now=0, epochs_done=1)
