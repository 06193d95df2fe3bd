"""The command line as a user meets it: real processes, real exit codes."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import run_warm

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"


def runyard(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runyard", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", **environment},
        timeout=120,
        check=False,
    )


def warm_runyard(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_warm(["-m", "runyard", *arguments], env={**os.environ, "COLUMNS": "100"})


def job_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    done = runyard("init", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def imported_modules(*arguments: str) -> set[str]:
    """Every module that a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "runyard", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("check", "--help"),
        ("schema",),
        ("show", str(EXAMPLES / "multitask" / "job.json")),
        ("check", "no_such_job.json"),
        ("check", str(EXAMPLES / "mlp_csv" / "job.json"), "--set", "train_args.epochs=many"),
    ],
    ids=" ".join,
)
def test_a_command_that_needs_no_tensorflow_does_not_import_it(arguments: tuple[str, ...]) -> None:
    modules = imported_modules(*arguments)
    assert "runyard.cli.app" in modules
    assert not {"tensorflow", "keras", "tf_keras", "numpy"} & modules


def test_help_lists_the_commands_without_reading_job_file_code() -> None:
    done = runyard("--help")
    assert done.returncode == 0
    for name in ("init", "check", "show", "schema"):
        assert name in done.stdout
    assert "pydantic" not in imported_modules("--help")


def test_an_unknown_command_exits_with_2() -> None:
    assert runyard("chekc").returncode == 2


def test_no_job_or_two_jobs_is_one_clear_line() -> None:
    for arguments in (("check",), ("check", "job.json", "--job", "{}")):
        done = runyard(*arguments)
        assert done.returncode == 2
        assert "give one job" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_option_with_a_wrong_value_is_named_as_it_was_written(tmp_path: Path) -> None:
    job = {"script_name": "none.py", "train_args": {"losses": "mse"}}
    refused = runyard("train", "--job", json.dumps(job), "--devices", "0", "--data-path", str(tmp_path))
    assert refused.returncode == 2
    assert '--devices 0: train_args.devices: needs a whole number above 0 or "auto"' in refused.stderr
    assert "--set" not in refused.stderr


def test_a_new_job_folder_passes_the_check(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    subprocess.run([sys.executable, str(folder / "make_data.py")], check=True, capture_output=True)
    done = runyard("check", str(folder / "job.json"))
    assert done.returncode == 0, done.stderr
    assert "val_auc" in done.stdout
    assert done.stdout.rstrip().endswith("The job is ready to run.")


def test_init_shows_commands_that_a_shell_understands(tmp_path: Path) -> None:
    folder = tmp_path / "my job; it's"
    done = runyard("init", str(folder))
    steps = [shlex.split(line) for line in done.stdout.partition("Now try:\n")[2].splitlines()]
    job = str(folder / "job.json")
    assert steps == [
        ["python", str(folder / "make_data.py")],
        *(["runyard", task, job] for task in ("check", "train", "evaluate", "predict")),
    ]


def test_a_new_job_folder_describes_all_three_tasks(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    done = runyard("show", str(folder / "job.json"))
    assert done.returncode == 0, done.stderr
    detail = json.loads(done.stdout)["job"]["job_detail"]
    assert {"train_data_args", "test_data_args", "predict_data_args"} <= detail.keys()


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    (folder / "job.json").write_text("mine")
    done = runyard("init", str(folder))
    assert done.returncode == 9
    assert "exist already" in done.stderr
    assert (folder / "job.json").read_text() == "mine"


def test_init_into_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    done = runyard("init", str(tmp_path / "taken"))
    assert done.returncode == 9
    assert "Traceback" not in done.stderr


def test_mistakes_in_job_and_script_are_shown_together(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    text = (folder / "job.json").read_text()
    text = text.replace('"hidden"', '"hiden"').replace('"epochs": 5', '"epochs": "5"').replace('"auc"', '"uac"')
    (folder / "job.json").write_text(text)
    done = runyard("check", str(folder / "job.json"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for expected in (
        "4 problems found",
        "takes no 'hiden'",
        "did you mean 'hidden'?",
        "requires 'hidden'",
        "train_args.epochs: needs a whole number",
        "no metric is called 'uac'",
    ):
        assert expected in done.stderr
    lines = {number for number, line in enumerate(text.splitlines(), start=1) if '"epochs"' in line}
    assert any(f"job.json:{number}: train_args.epochs" in done.stderr for number in lines)


def test_lenient_leaves_out_what_nothing_takes(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    text = (folder / "job.json").read_text().replace('"hidden": [32, 16]', '"hidden": [32, 16], "depth": 3')
    (folder / "job.json").write_text(text.replace('"epochs": 5', '"epochs": 5, "validation_steps": 3'))
    assert runyard("show", str(folder / "job.json")).returncode == 2
    done = runyard("show", str(folder / "job.json"), "--lenient")
    assert done.returncode == 0, done.stderr
    assert "'depth'" in done.stderr
    assert "validation_steps" in done.stderr
    assert "validation_steps" not in done.stdout


def test_show_prints_json_that_another_program_can_read(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    done = runyard("show", str(folder / "job.json"), "--set", "train_args.epochs=9", "--data-path", str(tmp_path))
    shown = json.loads(done.stdout)
    assert shown["job"]["job_detail"]["train_args"]["epochs"] == 9
    assert shown["data_path"] == str(tmp_path)
    assert shown["job"]["job_detail"]["train_data_args"]["file"] == f"{tmp_path}/train.csv"


def test_paths_can_come_from_the_environment(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    done = runyard(
        "show", str(folder / "job.json"), PIPELINE_PACK_PATH=str(folder), PIPELINE_EXPORT_PATH=str(tmp_path / "out")
    )
    assert json.loads(done.stdout)["data_path"] == str(tmp_path / "out")


def test_the_job_may_be_given_as_text(tmp_path: Path) -> None:
    folder = job_folder(tmp_path)
    text = (folder / "job.json").read_text()
    done = runyard("show", "--job", text, "--pack-path", str(folder))
    assert done.returncode == 0, done.stderr


def example(job: str, tmp_path: Path) -> Path:
    """A copy of an example with small data."""
    folder = tmp_path / "example"
    kept = shutil.ignore_patterns("data", "saved_model*", "checkpoints*", "metrics.jsonl")
    shutil.copytree(EXAMPLES / Path(job).parent, folder, ignore=kept)
    subprocess.run([sys.executable, str(folder / "make_data.py"), "--rows", "2000"], check=True, capture_output=True)
    return folder / Path(job).name


@pytest.mark.slow
@pytest.mark.parametrize(
    "job", ["mlp_csv/job.json", "mlp_csv/job_batch.json", "ranknet/job.json", "multitask/job.json"]
)
def test_the_examples_pass_the_check_and_go_through_all_parts(job: str, tmp_path: Path) -> None:
    file = example(job, tmp_path)
    done = warm_runyard("check", str(file))
    assert done.returncode == 0, done.stderr
    assert "The job is ready to run." in done.stdout
    done = warm_runyard("pipeline", str(file))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (file.parent / "evaluation.json").is_file()
    assert bool(list(file.parent.glob("predictions*.csv"))) == (not job.startswith("ranknet"))
    results = dict(line.split(": ") for line in done.stdout.splitlines() if line.startswith("val_"))
    aucs = {name: float(value) for name, value in results.items() if "auc" in name}
    assert aucs
    assert min(aucs.values()) > 0.6
    if job.startswith("ranknet"):
        assert set(aucs) == {"val_auc(0)", "val_auc(1)"}
        assert "validation runs on the model of awf_model_to_save_fn" in done.stderr


def test_an_interrupted_command_says_so(tmp_path: Path) -> None:
    """The script's own line tells that the command is at work; then comes what Ctrl-C sends."""
    folder = job_folder(tmp_path)
    script = folder / "train.py"
    script.write_text(
        script.read_text() + "\nimport time\nprint('loaded', flush=True)\nfor _ in range(600): time.sleep(0.1)\n"
    )
    subprocess.run([sys.executable, str(folder / "make_data.py")], check=True, capture_output=True)
    command = [sys.executable, "-m", "runyard", "check", str(folder / "job.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loaded\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (130, "error: interrupted")
