"""An import of TensorFlow without its side effects.

It talks on stderr, whatever its log level: people are to see that only if the import fails. And it makes so many
objects, none of which goes away, that the garbage collector would take a fifth of the time.
"""

import contextlib
import gc
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


@contextlib.contextmanager
def import_without_collecting() -> Iterator[None]:
    """Nothing is collected in the block; what it leaves behind is never looked through again."""
    if not gc.isenabled() or "tensorflow" in sys.modules:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
