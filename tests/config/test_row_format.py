import pytest

from runyard.config.row_format import Placeholder, parse_row_format

from .jobs import problem_of


def test_text_and_placeholders() -> None:
    assert parse_row_format("{a}-{{x}}{b:>5}") == [Placeholder("a"), "-{", "x}", Placeholder("b", ">5")]


def test_a_placeholder_is_a_name_and_never_looked_into() -> None:
    assert parse_row_format("{output.__class__}{a[0]}") == [Placeholder("output.__class__"), Placeholder("a[0]")]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{output", "not a template"),
        ("output}", "not a template"),
        ("{}", "without a name"),
        ("{:.3f}", "without a name"),
        ("{output!r}", "!r"),
        ("{output:{width}}", "not possible"),
        ("{output:>99999999}", "not possible"),
        ("{output:%H}", "not possible"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_other_templates_are_mistakes_of_the_job_file(template: str, said: str) -> None:
    problem = problem_of({"script_name": "a.py", "predict_args": {"row_format": template}})
    assert problem.path == ("predict_args", "row_format")
    assert said in problem.message


def test_a_template_is_for_csv() -> None:
    problem = problem_of({"script_name": "a.py", "predict_args": {"row_format": "{output}", "format": "jsonl"}})
    assert "for csv" in problem.message


@pytest.mark.parametrize("delimiter", ["", "1", ".", "-", "e", "\n", '"', "a;"])
@pytest.mark.parametrize("key", ["result_field_delim", "output_delim"])
def test_delimiters_that_values_hold_are_mistakes(key: str, delimiter: str) -> None:
    problem = problem_of({"script_name": "a.py", "predict_args": {key: delimiter}})
    assert problem.path == ("predict_args", key)
