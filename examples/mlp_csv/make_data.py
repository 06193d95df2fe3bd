"""Writes train, val, test and predict files for the MLP example: space-delimited CSV with a header line."""

import argparse
from pathlib import Path

import numpy as np

FEATURES = 128
INFORMATIVE = 16  # the other features are noise
SEED = 20


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and a noisy score; the score is what the labels are cut from."""
    weights = np.random.default_rng(SEED).choice([-0.5, 0.5], INFORMATIVE)
    features = rng.standard_normal((rows, FEATURES))
    score = features[:, :INFORMATIVE] @ weights + features[:, 0] * features[:, 1]
    return features, score + rng.logistic(scale=0.5, size=rows)


def write(path: Path, rows: int, seed: int) -> None:
    features, score = draw(np.random.default_rng([SEED, seed]), rows)
    names = [f"f{i}" for i in range(FEATURES)]
    if path.stem == "predict":
        table, formats = features, []
    else:
        # Test rows carry grades 0 to 3, so that they can be split into positive and negative in more than one way.
        cuts = [0.0, 1.0, 2.0] if path.stem == "test" else [0.0]
        table, formats = np.column_stack([np.digitize(score, cuts), features]), ["%d"]
        names.insert(0, "label")
    formats = [*formats, *["%.3f"] * FEATURES]
    np.savetxt(path, table, fmt=formats, header=" ".join(names), comments="")


def rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open() as lines:
        return sum(1 for _ in lines) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000, help="training rows; the other files get a quarter each")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data", help="folder to write into")
    parser.add_argument("--force", action="store_true", help="write again what is already there")
    options = parser.parse_args()
    if options.rows < 4:
        parser.error(f"--rows must be at least 4, got {options.rows}")

    sizes = {"train": options.rows, **dict.fromkeys(["val", "test", "predict"], options.rows // 4)}
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
