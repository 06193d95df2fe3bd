"""Conversion to formats of other runtimes, in a process of its own."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runyard.checkpoint.durable import storage_errors
from runyard.errors import ModelError, PlatformError, StorageError
from runyard.models.check_inputs import Arrays
from runyard.models.conversion import ConversionReport
from runyard.models.formats import ExportFormat

_PACKAGES = {ExportFormat.ONNX: ("onnx", "onnxruntime", "tf2onnx")}
_LAST_LINES = 15


@dataclass(frozen=True)
class Converted:
    """What the exported model computed for each of the inputs, and what a user should know of it."""

    outputs: Sequence[Arrays]
    remarks: Sequence[str]


def refuse_missing_packages(to: ExportFormat) -> None:
    """Worth asking before anything is loaded.

    Raises:
        PlatformError: if a package is not installed.
    """
    missing = [name for name in _PACKAGES.get(to, ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise PlatformError(
            f"exporting to {to.value} needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} "
            "not installed",
            hint=f"pip install 'runyard[{to.value}]'",
        )


def convert(saved_model: Path, file: Path, *, to: ExportFormat, signature: str, inputs: Sequence[Arrays]) -> Converted:
    """Writes the model in another format, and runs it.

    Args:
        inputs: what to run it on.

    Raises:
        ModelError: if it cannot be converted, or what came out cannot be run.
        StorageError: if the disk does not take it.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with storage_errors(folder):
            for number, arrays in enumerate(inputs):
                np.savez(folder / f"inputs_{number}.npz", **{key: _as_bytes(array) for key, array in arrays.items()})
        done = _run([to.value, str(saved_model), signature, str(file), name])
        report = _report(done, folder=folder, to=to)
        _refuse_failure(report, to=to, file=file)
        return Converted([_read(folder / f"outputs_{number}.npz") for number in range(len(inputs))], report.remarks)


def _run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "runyard.models.converter", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
    )


def _as_bytes(array: Any) -> Any:
    """Texts of a fixed width, which need no pickle."""
    return np.asarray(array).astype(bytes) if np.asarray(array).dtype == object else array


def _read(path: Path) -> Arrays:
    with np.load(path) as arrays:
        return dict(arrays)


def _report(done: subprocess.CompletedProcess[str], *, folder: Path, to: ExportFormat) -> ConversionReport:
    try:
        return ConversionReport(**json.loads((folder / "report.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        code = done.returncode
        how = f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        said = "\n".join(done.stdout.splitlines()[-_LAST_LINES:])
        raise ModelError(f"the converter to {to.value} {how}; it said last:\n{said}") from None


def _refuse_failure(report: ConversionReport, *, to: ExportFormat, file: Path) -> None:
    if report.failure is None:
        return
    if report.storage:
        raise StorageError(f"cannot write {file}: {report.failure}")
    if report.untried:
        raise ModelError(
            f"the {to.value} export cannot be tried before it is published: {report.failure}",
            hint="--no-check exports it untried",
        )
    if report.operations:
        raise ModelError(
            f"the model cannot be exported to {to.value}: {report.failure} of {', '.join(report.operations)}",
            hint="do that part before the model, such as in the dataset, or export to saved_model",
        )
    raise ModelError(f"the model cannot be exported to {to.value}: {report.failure}")
