"""Writes train, val, test and predict files for the multi-task example: comma-delimited CSV with a header line.

Clickbait draws clicks and drives likes away, so the two tasks pull some weights in opposite directions.
Rows without a click were kept one time in two when the log was sampled, so each of them counts twice.
"""

import argparse
from pathlib import Path

import numpy as np

CITIES = ["beijing", "chengdu", "guangzhou", "hangzhou", "nanjing", "shanghai", "shenzhen", "wuhan"]
ITEMS = 200
SEED = 22
COLUMNS = ["row", "city", "item", "age", "hour", "clickbait", "weight", "click", "like"]


def write(path: Path, rows: int, seed: int) -> None:
    fixed = np.random.default_rng(SEED)
    city_effect = fixed.normal(size=len(CITIES))
    item_click, item_like = fixed.normal(size=(2, ITEMS))

    rng = np.random.default_rng([SEED, seed])
    city = rng.integers(len(CITIES), size=rows)
    item = rng.integers(ITEMS, size=rows)
    age, hour, clickbait = rng.standard_normal((3, rows))
    click_score = item_click[item] + 0.5 * city_effect[city] + 1.5 * clickbait + 0.5 * hour
    like_score = item_like[item] + 0.5 * city_effect[city] - 1.5 * clickbait + 0.5 * age * hour
    click = (click_score + rng.logistic(scale=0.5, size=rows) > 0).astype(int)
    like = (like_score + rng.logistic(scale=0.5, size=rows) > 1).astype(int)
    weight = np.where(click == 1, 1.0, 2.0)

    kept = slice(0, 6) if path.stem == "predict" else slice(None)
    lines = [",".join(COLUMNS[kept])]
    for i in range(rows):
        numbers = [f"{value:.3f}" for value in (age[i], hour[i], clickbait[i])]
        fields = [f"{i}", CITIES[city[i]], f"{item[i]}", *numbers, f"{weight[i]:g}", f"{click[i]}", f"{like[i]}"]
        lines.append(",".join(fields[kept]))
    path.write_text("\n".join(lines) + "\n")


def rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open() as lines:
        return sum(1 for _ in lines) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the data of the multi-task example.")
    parser.add_argument("--rows", type=int, default=16000, help="training rows; the other files get a quarter each")
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
