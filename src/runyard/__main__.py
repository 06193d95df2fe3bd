"""`python -m runyard` is the `runyard` program."""

from runyard.cli import main

main()
