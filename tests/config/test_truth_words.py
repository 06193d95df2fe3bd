from pathlib import Path

import pytest

from runyard.config import JobRequest, check_draft, draft_job
from runyard.config.truth_words import truth_words


def test_words_are_found_wherever_they_stand():
    data = {"a": ["yes", True, {"b": "Off"}], "no": 1, "c": "yes, please", "d": None}
    assert dict(truth_words(data)) == {
        ("a", 0): 'this is the text "yes"; if you mean a truth value, write true',
        ("a", 2, "b"): 'this is the text "Off"; if you mean a truth value, write false',
    }


@pytest.mark.parametrize(("name", "said"), [("job.yaml", True), ("job.json", False)])
def test_a_yaml_job_with_such_a_word_is_remarked_on(tmp_path: Path, *, name: str, said: bool):
    text = "script_name: a.py\nmodel_args:\n  bias: no\n"
    (tmp_path / name).write_text(text if said else '{"script_name": "a.py", "model_args": {"bias": "no"}}')
    checked = check_draft(draft_job(JobRequest(job_file=tmp_path / name)), factories=None)
    remark = 'model_args.bias: this is the text "no"; if you mean a truth value, write false'
    assert (remark in checked.remarks) is said


def test_where_a_truth_value_is_needed_the_word_is_an_error_with_a_remedy(tmp_path: Path):
    (tmp_path / "job.yaml").write_text("script_name: a.py\ntrain_args:\n  losses: mse\n  verbose: yes\n")
    checked = check_draft(draft_job(JobRequest(job_file=tmp_path / "job.yaml")), factories=None)
    (problem,) = checked.problems
    assert (problem.message, problem.line) == ("needs true or false", 4)
    assert problem.hint == "write true, without quotation marks"
