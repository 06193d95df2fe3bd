"""`python -m runyard.cli`."""

from runyard.cli import main

main()
