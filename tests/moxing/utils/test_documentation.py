"""What docs/moxing_files.md and docs/moxing_hooks.md say is true."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import moxing.tensorflow as mox
from moxing.framework import file
from moxing.tensorflow.optimizer import learning_rate_scheduler
from runyard.legacy.moxing_flag_list import MOXING_FLAGS

DOCS = Path(__file__).parents[3] / "docs"
FILES, HOOKS = (DOCS / "moxing_files.md").read_text(), (DOCS / "moxing_hooks.md").read_text()


def parameters(call: object) -> dict[str, object]:
    return {name: one.default for name, one in inspect.signature(call).parameters.items()}  # pyright: ignore


def test_every_call_for_files_is_documented_with_its_parameters() -> None:
    shown = dict(re.findall(r"mox\.file\.(\w+)\((.*?)\)", FILES.split("```python\nimport moxing as mox\n\nmox")[0]))
    public = {name for name in file.__all__ if not name.startswith("Mox")}
    assert shown.keys() == public
    for name, arguments in shown.items():
        for argument, default in re.findall(r"(\w+)=([^,.]+)", arguments):
            assert str(parameters(getattr(file, name))[argument]) == default, (name, argument)
    assert all(f"`{name}`" in FILES for name in file.__all__ if name.startswith("Mox"))


def test_the_program_for_files_runs(tmp_path: Path) -> None:
    program = re.findall(r"```python\n(.*?)```", FILES, flags=re.DOTALL)[1]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "['first\\n', 'second\\n']\n['logs', 'logs/a.txt']\n"


def test_every_flag_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S*) \| .* \|$", HOOKS.split("## Flags")[1], flags=re.MULTILINE))
    assert rows == {name: str(flag.default) for name, flag in MOXING_FLAGS.items() if flag.effective}
    rest = HOOKS.split("without effect: ")[1]
    assert re.findall(r"`(\w+)`", rest) == [name for name, flag in MOXING_FLAGS.items() if not flag.effective]


def test_parameters_of_hooks_are_documented_with_their_defaults() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in HOOKS.splitlines() if line.startswith("| `")
    ]
    common = parameters(mox.LogEvaluationMetricHook)
    assert {row[0].strip("`") for row in rows if row[0].strip("`") in common} == common.keys()
    hooks = {"early stopping": mox.EarlyStoppingHook, "plateau": mox.PlateauLREarlyStoppingHook}
    own = [row for row in rows if len(row) == 4]
    for kind, hook in hooks.items():
        taken = parameters(hook)
        assert {row[0].strip("`") for row in own if kind in row[1]} == taken.keys() - common.keys()
        for name, kinds, defaults, _ in own:
            if kind in kinds and defaults:
                default = defaults.split(", ")[-1 if kind == "plateau" else 0]
                assert str(taken[name.strip("`")]).replace("0.0001", "1e-4").removesuffix(".0") == default, name


def test_optimizers_and_schedules_are_documented() -> None:
    for name in ("piecewise_lr", "linear_cosine_decay", "polynomial_decay"):
        assert f"learning_rate_scheduler.{name}(" in HOOKS
        assert callable(getattr(learning_rate_scheduler, name))
    for name in ("adadelta", "adagrad", "adam", "ftrl", "momentum", "rmsprop", "sgd"):
        assert re.search(rf"\b{name}\b", HOOKS)
        assert callable(mox.get_optimizer_fn(name, 0.1))
