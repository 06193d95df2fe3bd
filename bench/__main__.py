"""`make bench`: every comparison of the project; fails if the two sides of one differ, or a target is missed."""

import importlib
import sys

PARTS = ("training", "csv_input", "checkpointing", "prediction", "memory", "workers", "moxing")

chosen = sys.argv[1:] or PARTS
missed = 0
for part in chosen:
    for found in importlib.import_module(f"bench.{part}").comparisons():
        print(found, flush=True)
        missed += not found.reached
sys.exit(1 if missed else 0)
