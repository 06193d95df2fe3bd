"""Writes train.csv, val.csv and test.csv beside this file: eight features, and a label that depends on them."""

from pathlib import Path

import numpy as np

FEATURES = 8


def write(path, rows, rng):
    features = rng.standard_normal((rows, FEATURES))
    score = features[:, 0] - features[:, 1] * features[:, 2]
    label = (score + 0.5 * rng.standard_normal(rows) > 0).astype(int)
    header = ",".join(["label", *(f"x{i}" for i in range(FEATURES))])
    np.savetxt(path, np.column_stack([label, features]), delimiter=",", header=header, comments="", fmt="%.5g")


folder = Path(__file__).parent
rng = np.random.default_rng(0)
write(folder / "train.csv", 8_000, rng)
write(folder / "val.csv", 2_000, rng)
write(folder / "test.csv", 2_000, rng)
print(f"wrote train.csv, val.csv and test.csv to {folder}")
