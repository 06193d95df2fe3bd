"""Writes pairs of items (train, test) and single items (val) for the RankNet example: space-delimited, header line.

A single item is: user item grade x0 ... x23, with grade -1 (skipped), 0 (ignored), 1 (heard) or 2 (liked).
A pair is two items of one user with different grades, and 1 if the first one is the better, else -1.
"""

import argparse
from pathlib import Path

import numpy as np

FEATURES = 24
FILTERED = 4  # the last columns are bookkeeping that the model must not see
USERS = 50
SEED = 21


def draw_items(rng: np.random.Generator, users: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features and grades of one item per user given; some users like everything more than others."""
    fixed = np.random.default_rng(SEED)
    taste = fixed.choice([-0.6, 0.6], FEATURES - FILTERED)
    mood = fixed.normal(scale=1.0, size=USERS)
    features = rng.standard_normal((len(users), FEATURES))
    score = features[:, :-FILTERED] @ taste + features[:, 0] * features[:, 1] + mood[users]
    grades = np.digitize(score + rng.logistic(scale=0.5, size=len(users)), [-1.5, 0.0, 1.5]) - 1
    return features, grades


def item_text(user: int, item: int, grade: int, features: np.ndarray) -> str:
    return f"u{user} i{item} {grade} " + " ".join(f"{value:.3f}" for value in features)


def single_lines(rng: np.random.Generator, rows: int) -> list[str]:
    users = rng.integers(USERS, size=rows)
    features, grades = draw_items(rng, users)
    return [item_text(users[i], i, grades[i], features[i]) for i in range(rows)]


def pair_lines(rng: np.random.Generator, rows: int) -> list[str]:
    lines: list[str] = []
    while len(lines) < rows:
        users = rng.integers(USERS, size=rows)
        (left, left_grades), (right, right_grades) = draw_items(rng, users), draw_items(rng, users)
        for i in np.flatnonzero(left_grades != right_grades)[: rows - len(lines)]:
            first = item_text(users[i], 2 * i, left_grades[i], left[i])
            second = item_text(users[i], 2 * i + 1, right_grades[i], right[i])
            lines.append(f"{first} {second} {1 if left_grades[i] > right_grades[i] else -1}")
    return lines


def write(path: Path, rows: int, seed: int) -> None:
    rng = np.random.default_rng([SEED, seed])
    names = ["user", "item", "grade", *(f"x{i}" for i in range(FEATURES))]
    if path.stem.endswith("_pairs"):
        header = [f"{name}_{side}" for side in (1, 2) for name in names] + ["label"]
        lines = pair_lines(rng, rows)
    else:
        header = names
        lines = single_lines(rng, rows)
    path.write_text("\n".join([" ".join(header), *lines]) + "\n")


def rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open() as lines:
        return sum(1 for _ in lines) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the data of the RankNet example.")
    parser.add_argument("--rows", type=int, default=4000, help="training pairs; the other files get a quarter each")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data", help="folder to write into")
    parser.add_argument("--force", action="store_true", help="write again what is already there")
    options = parser.parse_args()
    if options.rows < 4:
        parser.error(f"--rows must be at least 4, got {options.rows}")

    sizes = {"train_pairs": options.rows, "val_singles": options.rows // 4, "test_pairs": options.rows // 4}
    files = {options.out / f"{name}.csv": rows for name, rows in sizes.items()}
    summary = ", ".join(f"{path.name} ({rows} rows)" for path, rows in files.items())
    if not options.force and all(rows_in(path) == rows for path, rows in files.items()):
        print(f"{options.out} already holds {summary}")
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for seed, (path, rows) in enumerate(files.items()):
        write(path, rows, seed)
    print(f"wrote {summary} to {options.out}")


if __name__ == "__main__":
    main()
