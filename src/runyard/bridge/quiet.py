"""TensorFlow talks on stderr while it is imported, whatever its log level. People see it only when the import fails."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

_STDERR = 2


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Holds back what is written to the file descriptor of stderr, and lets it out if the block fails."""
    sys.stderr.flush()
    kept = os.dup(_STDERR)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        except Exception:
            os.dup2(kept, _STDERR)
            held.seek(0)
            os.write(_STDERR, held.read())
            raise
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
