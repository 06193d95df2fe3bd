import textwrap
from pathlib import Path

import pytest

from runyard.script import Findings, Task, check_script, outline_script

from .conftest import Draft, Write

MODEL = "def awf_create_model_fn(size): pass\n"
TRAIN = "def awf_create_train_dataset_fn(file, batch_size): pass\n"
VAL = "def awf_create_val_dataset_fn(file, batch_size): pass\n"
ARGUMENTS = {"model_args": {"size": 1}, "train_data_args": {"file": "a.csv"}}


@pytest.fixture
def check(write: Write, draft: Draft):
    def check(source: str, *tasks: Task, lenient: bool = False, **detail: object) -> Findings:
        outline = outline_script(write("train.py", source))
        return check_script(outline, draft=draft(lenient=lenient, **detail), tasks=tasks)

    return check


@pytest.mark.parametrize(
    ("task", "needed"),
    [
        (Task.TRAIN, ["awf_create_model_fn", "awf_create_train_dataset_fn"]),
        (Task.EVALUATE, ["awf_create_test_dataset_fn"]),
        (Task.PREDICT, ["awf_create_predict_dataset_fn"]),
    ],
)
def test_each_task_needs_its_callbacks(check, task: Task, needed: list[str], tmp_path: Path):
    problems = check("", task).problems
    assert [str(problem) for problem in problems] == [
        f"{tmp_path / 'train.py'}: the script defines no {name}, which is needed to {task.value}" for name in needed
    ]


def test_a_misspelt_callback_is_recognised_from_both_sides(check):
    findings = check("def awf_create_model_fun(): pass\n" + TRAIN, Task.TRAIN, **ARGUMENTS)
    (problem,) = findings.problems
    assert problem.nearest == "awf_create_model_fun"
    assert findings.remarks == [
        "awf_create_model_fun is no callback that Runyard knows; did you mean awf_create_model_fn?"
    ]


def test_nothing_is_missing_where_there_may_be_more_than_is_seen(check):
    assert not check("from numpy import *", Task.TRAIN).problems


def test_a_callback_whose_parameters_are_not_seen_is_taken_as_it_is(check):
    source = "from somewhere import awf_create_model_fn\nawf_create_train_dataset_fn = make()"
    assert check(source, Task.TRAIN, model_args={"x": 1}) == Findings([], [])


def test_a_script_that_cannot_be_parsed_is_the_only_problem(check):
    (problem,) = check("def f(:", Task.TRAIN).problems
    assert problem.line == 1


def test_all_problems_come_at_once_with_their_lines_in_the_job_file(check, tmp_path: Path):
    source = MODEL + TRAIN + "def awf_group_trainable_vars_fn(): pass\n"
    findings = check(
        source, Task.TRAIN, model_args={"size": 1, "sise": 2}, train_data_args={"path": "a.csv", "batch_size": 3}
    )
    assert [(problem.source, problem.line, problem.place.split(": ")[-1]) for problem in findings.problems] == [
        (str(tmp_path / "job.json"), 6, "job_detail.model_args.sise"),
        (str(tmp_path / "job.json"), 9, "job_detail.train_data_args.path"),
        (str(tmp_path / "job.json"), 8, "job_detail.train_data_args"),
        (str(tmp_path / "train.py"), 3, f"{tmp_path / 'train.py'}:3"),
    ]
    assert findings.problems[0].nearest == "size"
    assert f"awf_create_train_dataset_fn ({tmp_path / 'train.py'}:2) requires 'file'" in findings.problems[2].message
    assert "'batch_size' of the job file is not used" in findings.remarks[0]


def test_lenient_turns_arguments_that_are_not_taken_into_remarks(check):
    findings = check(MODEL, lenient=True, model_args={"size": 1, "sise": 2})
    assert not findings.problems


def test_a_section_of_another_shape_is_left_to_the_check_of_the_job_file(check):
    assert not check(MODEL + TRAIN, Task.TRAIN, model_args=["size"], train_data_args="a.csv").problems


class TestWhatIsCalled:
    def test_the_callbacks_of_other_tasks_are_not_looked_at(self, check):
        source = MODEL + TRAIN + "def awf_create_test_dataset_fn(): pass\ndef awf_group_trainable_vars_fn(): pass"
        assert check(source, Task.EVALUATE) == Findings([], [])

    def test_a_model_is_loaded_to_evaluate(self, check):
        source = "def awf_load_model_fn(path, name, extra): pass\ndef awf_create_test_dataset_fn(): pass"
        (problem,) = check(source, Task.EVALUATE).problems
        assert "requires 'extra', which load_model_args does not give" in problem.message

    @pytest.mark.parametrize(("continues", "problems"), [(True, 1), (False, 0)])
    def test_a_model_is_loaded_to_train_only_when_training_continues(self, check, continues: bool, problems: int):
        source = "def awf_load_model_fn(path, name, extra): pass\n" + MODEL + TRAIN
        model_args = {"size": 1, "continue_training": continues}
        found = check(source, Task.TRAIN, **{**ARGUMENTS, "model_args": model_args}).problems
        assert len(found) == problems


class TestValidation:
    def test_it_is_skipped_when_the_job_gives_no_arguments(self, check, tmp_path: Path):
        findings = check(MODEL + TRAIN + VAL, Task.TRAIN, **ARGUMENTS)
        assert not findings.problems
        assert findings.remarks == [
            f"no validation: awf_create_val_dataset_fn ({tmp_path / 'train.py'}:3) needs arguments, "
            "and there is no val_data_args"
        ]

    @pytest.mark.parametrize("parameters", ["", "batch_size", "file='a.csv', *, batch_size", "**kwargs"])
    def test_it_needs_no_arguments_when_the_callback_needs_none(self, check, parameters: str):
        source = f"{MODEL}{TRAIN}def awf_create_val_dataset_fn({parameters}): pass"
        assert check(source, Task.TRAIN, **ARGUMENTS) == Findings([], [])

    def test_arguments_that_are_given_must_fit(self, check):
        (problem,) = check(MODEL + TRAIN + VAL, Task.TRAIN, **ARGUMENTS, val_data_args={}).problems
        assert "requires 'file', which val_data_args does not give" in problem.message


def test_a_callback_for_estimators_is_said_to_be_never_called(check):
    findings = check(MODEL + TRAIN + "def awf_input_placeholders_fn(a, b): pass", Task.TRAIN, **ARGUMENTS)
    assert not findings.problems
    assert findings.remarks[0].startswith("awf_input_placeholders_fn is never called")


RANK_NET = textwrap.dedent(
    """
    import tensorflow as tf


    class RankNetModel(tf.keras.Model):
        def __init__(self, name, input_size):
            super(RankNetModel, self).__init__(name=name)

        @tf.function
        def call(self, inputs, training=None, mask=None):
            return inputs


    def awf_create_model_fn(name, input_size):
        return RankNetModel(name, input_size)


    def __create_paired_dataset(file, feat_num, filt_num, batch_size):
        def __parse_paired_data(line):
            return line


    def __create_single_dataset(file, feat_num, filt_num, batch_size, like_listen=False):
        pass


    def awf_create_train_dataset_fn(file, feat_num, filt_num, batch_size):
        return __create_paired_dataset(file, feat_num, filt_num, batch_size)


    def awf_create_test_dataset_fn(file, feat_num, filt_num, batch_size):
        return __create_paired_dataset(file, feat_num, filt_num, batch_size)


    def awf_create_val_dataset_fn(file, feat_num, filt_num, batch_size):
        return __create_single_dataset(file, feat_num, filt_num, batch_size, False), \\
               __create_single_dataset(file, feat_num, filt_num, batch_size, True)


    def awf_model_to_save_fn(trained_model: RankNetModel):
        return trained_model.ranker
    """
)


def test_the_full_example_of_the_specification_passes(check):
    data = {"file": "${DATA_PATH}$/pairs.csv", "feat_num": 12, "filt_num": 2}
    findings = check(
        RANK_NET,
        Task.TRAIN,
        Task.EVALUATE,
        model_args={"name": "rank_net", "input_size": 10},
        train_data_args=data,
        val_data_args=data,
        test_data_args=data,
    )
    assert findings == Findings([], [])


@pytest.mark.parametrize(("keras", "said"), [(2, True), (3, False)])
def test_two_keras_in_one_script_are_remarked_on(check, *, keras: int, said: bool):
    source = "import keras\nimport tensorflow as tf\ntf.keras.Model(keras.layers.Dense(1))\n"
    remarks = check(source + MODEL + TRAIN, Task.TRAIN, keras=keras, **ARGUMENTS).remarks
    assert any("whose layers do not work together" in remark for remark in remarks) is said
