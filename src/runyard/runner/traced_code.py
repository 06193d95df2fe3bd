"""Failures in code of the user's that AutoGraph has rewritten: its frames are gone, but the message tells of them.

in user code:

    File "/jobs/script.py", line 7, in loss  *
        return helper(y_true)

    AttributeError: ...
"""

import re
from pathlib import Path

from runyard.script.ownership import is_users

_FRAME = re.compile(r'^ *(File "(?P<file>[^"]+)", line \d+, in \S+?) *\**\n +(?P<code>.*)\n', re.MULTILINE)


def users_traceback(error: Exception, *, folder: Path) -> str | None:
    """The user's frames and the exception, as Python shows them; None if the failure is not in the user's code.

    Args:
        folder: where the user's files are.
    """
    message = str(error)
    frames = list(_FRAME.finditer(message))
    own = [frame for frame in frames if is_users(frame["file"], folder=folder)]
    if not message.startswith("in user code:") or not own:
        return None
    said = message[frames[-1].end() :].strip()
    lines = [f"  {frame[1]}\n    {frame['code'].strip()}" for frame in own]
    return "\n".join(["Traceback (most recent call last):", *lines, said or type(error).__name__])
