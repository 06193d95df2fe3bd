"""Files alone need no TensorFlow."""

import subprocess
import sys

PROGRAM = """
import sys
import moxing as mox
from moxing.framework import file
from moxing.framework.file import file_io
import moxing.framework.util.compat, moxing.framework.util.runtime
assert mox.file is file and file_io.read is mox.file.read
mox.file.shift("os", "mox")
mox.file.shift("mox", "os")
loaded = [name for name in ("tensorflow", "keras", "tf_keras", "numpy", "absl") if name in sys.modules]
assert not loaded, loaded
"""


def test_files_alone_load_nothing_large() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
