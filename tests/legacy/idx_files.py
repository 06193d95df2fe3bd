"""Small files in the format of MNIST."""

import gzip
from pathlib import Path

import numpy as np


def write_idx_files(folder: Path, *, train: int, test: int) -> None:
    """Images in which the label can be seen: a bright row at the height of the label."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    for name, number in (("train", train), ("t10k", test)):
        labels = random.randint(0, 10, number).astype(np.uint8)
        images = random.randint(0, 50, (number, 28, 28)).astype(np.uint8)
        images[np.arange(number), labels * 2] = 255
        header = np.array([2051, number, 28, 28], ">u4").tobytes()
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + images.tobytes()))
        header = np.array([2049, number], ">u4").tobytes()
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(header + labels.tobytes()))
