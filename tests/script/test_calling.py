from pathlib import Path

import pytest

from runyard.config import InvalidJob
from runyard.errors import CallbackFailed, ScriptError
from runyard.script import call, declares, load_script
from runyard.script.contract import CREATE_MODEL, LOAD_MODEL, MODEL_TO_SAVE, TRAIN_DATASET

from .conftest import Write


def test_a_callback_gets_its_arguments_by_name(write: Write):
    source = "def awf_create_train_dataset_fn(file, *, batch_size, **kwargs): return file, batch_size, kwargs"
    script = load_script(write("train.py", source))
    result = call(
        script,
        TRAIN_DATASET,
        config={"file": "a.csv", "dim": 3},
        injectable={"batch_size": 8, "is_chief": True},
    )
    assert result == ("a.csv", 8, {"dim": 3})


@pytest.mark.parametrize("parameters", ["trained", "trained, /", "*trained", "*trained, **kwargs"])
def test_the_model_goes_by_position(write: Write, parameters: str):
    script = load_script(write("train.py", f"def awf_model_to_save_fn({parameters}): return trained"))
    assert call(script, MODEL_TO_SAVE, "model") in ("model", ("model",))


def test_a_callback_runs_in_the_folder_of_the_script(write: Write, tmp_path: Path):
    script = load_script(write("train.py", "import os\ndef awf_create_model_fn(): return os.getcwd()"))
    assert call(script, CREATE_MODEL) == str(tmp_path)


def test_a_callback_that_is_not_there_is_named(write: Write, tmp_path: Path):
    with pytest.raises(ScriptError, match=r"train\.py defines no function awf_create_model_fn"):
        call(load_script(write("train.py", "")), CREATE_MODEL)


def test_arguments_that_do_not_fit_the_live_function_are_refused(write: Write):
    source = "import functools\nawf_create_model_fn = functools.partial(lambda size, depth: size, depth=1)"
    script = load_script(write("train.py", source))
    with pytest.raises(InvalidJob) as caught:
        call(script, CREATE_MODEL, config={"sise": 3})
    assert [problem.nearest for problem in caught.value.problems] == ["size", None]
    assert str(script.path) in str(caught.value)


def test_lenient_leaves_out_what_is_not_taken(write: Write):
    script = load_script(write("train.py", "def awf_create_model_fn(): return 1"))
    assert call(script, CREATE_MODEL, config={"size": 3}, lenient=True) == 1


def test_a_function_that_python_knows_nothing_about_gets_all_there_is(write: Write):
    script = load_script(write("train.py", "awf_load_model_fn = dict"))
    result = call(script, LOAD_MODEL, config={"x": 1}, injectable={"path": "/m", "name": "m", "purpose": "evaluate"})
    assert result == {"path": "/m", "name": "m", "x": 1}


def test_leaving_within_a_callback_is_a_failure(write: Write):
    script = load_script(write("train.py", "import sys\ndef awf_create_model_fn(): sys.exit()"))
    with pytest.raises(CallbackFailed, match="SystemExit"):
        call(script, CREATE_MODEL)


@pytest.mark.parametrize("exception", ["KeyboardInterrupt", "GeneratorExit"])
def test_ctrl_c_passes_through_untouched(write: Write, exception: str):
    script = load_script(write("train.py", f"def awf_create_model_fn(): raise {exception}('x')"))
    with pytest.raises(BaseException) as caught:
        call(script, CREATE_MODEL)
    assert repr(caught.value) == f"{exception}('x')"


def test_our_own_errors_pass_through_untouched(write: Write):
    source = "from runyard.errors import DataError\ndef awf_create_model_fn(): raise DataError('x')"
    with pytest.raises(Exception, match="x") as caught:
        call(load_script(write("train.py", source)), CREATE_MODEL)
    assert type(caught.value).__name__ == "DataError"


def test_whether_a_parameter_is_declared(write: Write):
    script = load_script(write("train.py", "def awf_create_train_dataset_fn(file, *, batch_size, **kwargs): pass"))
    assert declares(script, TRAIN_DATASET, parameter="batch_size")
    assert not declares(script, TRAIN_DATASET, parameter="repeat")
    assert not declares(script, CREATE_MODEL, parameter="batch_size")
