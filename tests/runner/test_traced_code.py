"""The user's lines in what AutoGraph says."""

from pathlib import Path

from runyard.runner.traced_code import users_traceback

SAID = """in user code:

    File "/runyard/training/losses.py", line 161, in call  *
        return made(y_true, y_pred)
    File "/jobs/script.py", line 7, in loss  *
        return helper(y_true)
    File "/jobs/script.py", line 4, in helper  *
        return y.nothing

    AttributeError: no 'nothing'
"""


def test_the_users_frames_and_the_exception_are_shown() -> None:
    assert users_traceback(AttributeError(SAID), folder=Path("/jobs")) == (
        "Traceback (most recent call last):\n"
        '  File "/jobs/script.py", line 7, in loss\n'
        "    return helper(y_true)\n"
        '  File "/jobs/script.py", line 4, in helper\n'
        "    return y.nothing\n"
        "AttributeError: no 'nothing'"
    )


def test_other_failures_are_not_the_users() -> None:
    assert users_traceback(AttributeError(SAID), folder=Path("/elsewhere")) is None
    assert users_traceback(ValueError("shapes differ"), folder=Path("/jobs")) is None
