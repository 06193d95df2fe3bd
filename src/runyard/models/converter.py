"""The program that converts a SavedModel and runs the result: `python -m runyard.models.converter`.

Converters print, change global state and may abort, so they have a process of their own. Arguments: the format, the
SavedModel, its signature, the file to write, and the folder with `inputs_0.npz`, ...; it writes `outputs_0.npz`, ...
and `report.json` into that folder.
"""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from runyard.models import onnx, tflite
from runyard.models.conversion import ConversionReport, Unconvertible, Untried

_FORMATS: dict[str, Any] = {"onnx": onnx, "tflite": tflite}


def main(arguments: list[str]) -> int:
    name, saved_model, signature, file, folder = arguments
    report = _converted(_FORMATS[name], Path(saved_model), Path(file), signature=signature, folder=Path(folder))
    (Path(folder) / "report.json").write_text(json.dumps(asdict(report)), encoding="utf-8")
    return 0 if report.failure is None else 1


def _converted(form: Any, saved_model: Path, file: Path, *, signature: str, folder: Path) -> ConversionReport:
    try:
        remarks = form.convert(saved_model, file, signature=signature)
        _run(form, file, signature=signature, trials=sorted(folder.glob("inputs_*.npz")))
        return ConversionReport(remarks=tuple(remarks))
    except Untried as error:
        return ConversionReport(str(error), untried=True)
    except Unconvertible as error:
        return ConversionReport(str(error), operations=tuple(error.operations))
    except OSError as error:
        return ConversionReport(error.strerror or str(error), storage=True)
    except Exception as error:
        return ConversionReport(f"{type(error).__name__}: {' '.join(str(error).split())[:600]}")


def _run(form: Any, file: Path, *, signature: str, trials: list[Path]) -> None:
    if not trials:
        return
    runner = form.Runner(file, signature=signature)
    for path in trials:
        with np.load(path) as inputs:
            outputs = runner(dict(inputs))
        plain = {output: _without_objects(array) for output, array in outputs.items()}
        np.savez(path.with_name(path.name.replace("inputs", "outputs")), **plain)


def _without_objects(array: Any) -> Any:
    """Texts as bytes: what is read again is never pickled."""
    array = np.asarray(array)
    if array.dtype != object:
        return array
    return np.array([text.encode() if isinstance(text, str) else text for text in array.ravel()]).reshape(array.shape)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # taking the runtimes apart may abort, too
