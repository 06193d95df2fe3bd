import subprocess
import sys

import pytest

from runyard.bridge.names import FILE


@pytest.mark.slow
def test_the_checked_in_list_is_what_both_keras_versions_say() -> None:
    program = "import sys; from runyard.bridge import names; sys.stdout.write(names.show(names.collect()))"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert child.stdout == FILE.read_text(encoding="utf-8"), "run `make names` and look at the difference"
