"""What the documentation says is true."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runyard import errors
from runyard.config import JobRequest, check_draft, draft_job
from runyard.config.eval_args import PredictArgs
from runyard.config.known_names import Kind, find
from runyard.config.variables import known_variables
from runyard.errors import RunyardError
from runyard.script.contract import CALLBACKS

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
DOCUMENTS += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "examples").rglob("README.md"))


def all_errors(of: type[RunyardError] = RunyardError) -> set[type[RunyardError]]:
    own = {kind for kind in of.__subclasses__() if kind.__module__ == errors.__name__}
    return own.union(*map(all_errors, own))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_every_exit_code_is_documented_where_people_look() -> None:
    for text in ((ROOT / "docs" / "errors.md").read_text(), errors.__doc__ or ""):
        rows = dict(re.findall(r"^\| (\d+) \| `(\w+)`", text, flags=re.MULTILINE))
        assert {int(code): name for code, name in rows.items()} == {
            kind.exit_code: kind.__name__ for kind in {RunyardError, *all_errors()}
        }


def test_every_callback_is_documented() -> None:
    text = (ROOT / "docs" / "callbacks.md").read_text()
    for callback in CALLBACKS:
        assert f"`{callback.name}" in text
        for name in callback.injected:
            assert f"`{name}`" in text


def test_every_variable_is_documented() -> None:
    text = (ROOT / "docs" / "job_file.md").read_text()
    for name in known_variables():
        if name != "ONLINE_MODEL":  # it belongs to evaluation
            assert f"${{{name}" in text


def test_every_command_of_the_readme_exists() -> None:
    shown = subprocess.run([sys.executable, "-m", "runyard", "--help"], capture_output=True, text=True, check=True)
    commands = set(re.findall(r"`runyard (\w+)", (ROOT / "README.md").read_text()))
    assert commands
    for command in commands:
        assert re.search(rf"^\W*{command}\b", shown.stdout, flags=re.MULTILINE), command


def test_the_readmes_job_is_valid() -> None:
    text = re.search(r"```json\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert text is not None
    json.loads(text.group(1))
    checked = check_draft(draft_job(JobRequest(job_text=text.group(1))), factories=frozenset())
    assert checked.problems == []


def test_the_readmes_error_is_what_people_see(tmp_path: Path) -> None:
    shown = re.search(
        r"```console\n\$ runyard check (.*?)\n(error:.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    assert shown is not None
    subprocess.run([sys.executable, "-m", "runyard", "init", "my_job"], cwd=tmp_path, check=True, capture_output=True)
    command = [sys.executable, "-m", "runyard", "check", *shown.group(1).split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    for line in shown.group(2).splitlines():
        if line.strip() != "...":
            assert line in done.stderr


def test_the_training_guide_names_real_keys_and_options() -> None:
    text = (ROOT / "docs" / "training.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "runyard", "train", "--help"], capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"runyard train job.json (--[\w-]+)", text))
    assert len(options) == 4
    for option in options:
        assert option in done.stdout


def test_the_evaluation_guide_names_real_options_metrics_and_arguments() -> None:
    text = (ROOT / "docs" / "evaluation.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "runyard", "evaluate", "--help"], capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"runyard evaluate job.json (--[\w-]+)", text))
    assert len(options) == 2
    for option in options:
        assert option in done.stdout
    rows = re.findall(r"^\| `(\w+)` \| (`(?:user_id_index|from_logits).*?) \|", text, flags=re.MULTILINE)
    assert len(rows) == 7
    for name, arguments in rows:
        known = find(Kind.METRIC, name)
        assert known is not None
        assert set(re.findall(r"`(\w+)`", arguments)) <= set(known.parameters)


def test_the_evaluation_guides_job_is_valid() -> None:
    text = re.search(r"```json\n(.*?)```", (ROOT / "docs" / "evaluation.md").read_text(), flags=re.DOTALL)
    assert text is not None
    checked = check_draft(draft_job(JobRequest(job_text=text.group(1))), factories=frozenset())
    assert checked.problems == []


def test_the_prediction_guide_names_all_keys_and_options() -> None:
    text = (ROOT / "docs" / "prediction.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "runyard", "predict", "--help"], capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"runyard predict job.json (--[\w-]+)", text))
    assert options == {"--resume", "--shard", "--upstream-output-file"}
    for option in options:
        assert option in done.stdout
    for key in PredictArgs.model_fields:
        if key != "model_name":
            assert f"`{key}`" in text or f"`predict_args.{key}`" in text, key


def test_shards_are_put_together_as_the_guide_says(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "prediction.md").read_text()
    command = re.search(r"^\$ (paste .*?)  +#", text, flags=re.MULTILINE)
    assert command is not None
    for shard in range(8):
        lines = "".join(f"{row}\n" for row in range(shard, 21, 8))
        (tmp_path / f"predict-{shard + 1:05d}-of-00008.csv").write_text(lines)
    subprocess.run(["bash", "-c", command.group(1)], cwd=tmp_path, check=True)
    assert (tmp_path / "predict.csv").read_text().split() == [str(row) for row in range(21)]


def test_the_export_guide_names_real_formats_and_options() -> None:
    text = (ROOT / "docs" / "export.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "runyard", "export", "--help"], capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"--[a-z][a-z-]*", text))
    assert len(options) == 6
    for option in options:
        assert option in done.stdout
    assert set(re.findall(r"^\| `(\w+)`", text, flags=re.MULTILINE)) >= {"saved_model", "keras", "onnx", "tflite"}
