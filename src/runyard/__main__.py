"""`python -m runyard` is the `runyard` program."""

import os

from runyard.errors import Interrupted

try:
    from runyard.cli import main

    main()
except KeyboardInterrupt:  # while it is still being imported
    os._exit(Interrupted.exit_code)
