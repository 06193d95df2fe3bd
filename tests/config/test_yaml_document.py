import pytest

from runyard.config.document import Document, parse_document
from runyard.config.problems import InvalidJob, Problem
from runyard.config.yaml_document import parse_yaml


def parse(text: str) -> Document:
    return parse_document(text, source="job.yaml")


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(InvalidJob) as caught:
        parse_yaml(text, source="job.yaml")
    return caught.value.problems


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *[
            (word, word)
            for word in ("no", "yes", "on", "off", "NO", "y", "n", "2020-01-01", "12:30", "1_000", "<<", "=")
        ],
        *[("true", True), ("False", False), ("null", None), ("~", None), ("", None)],
        *[("1e-3", 0.001), ("1E5", 1e5), (".5", 0.5), ("1.", 1.0), ("-2.5", -2.5), ("+.5e+1", 5.0)],
        *[("12", 12), ("-3", -3), ("+4", 4), ("007", 7), ("0x1F", 31), ("0o17", 15)],
        *[
            ("'12'", "12"),
            ('"true"', "true"),
            ("!!str 12", "12"),
            ('! "12"', "12"),
            ("! 12", "12"),
            ("|\n  12", "12"),
            ('"1e-3"', "1e-3"),
        ],
        *[("2020-01-01 10:00:00", "2020-01-01 10:00:00"), ("${DATE-1d:%Y}$/x", "${DATE-1d:%Y}$/x")],
    ],
)
def test_scalars_follow_yaml_1_2(written: str, meant: object):
    assert repr(parse(f"a: {written}").data) == repr({"a": meant})


def test_lines_are_those_of_keys_and_items():
    text = "# job\na:\n  b: 1\nc:\n  - 1\n  - d:\n      2\n"
    lines = dict(parse(text).lines)
    assert lines == {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("c",): 4,
        ("c", 0): 5,
        ("c", 1): 6,
        ("c", 1, "d"): 6,
    }


def test_an_alias_is_a_copy():
    data = parse("a: &x {b: [1]}\nc: *x\nd: &s text\ne: *s").data
    assert data == {"a": {"b": [1]}, "c": {"b": [1]}, "d": "text", "e": "text"}
    assert isinstance(data, dict)
    assert data["a"]["b"] is not data["c"]["b"]


def test_merge_keys_give_way_to_written_keys():
    document = parse("base: &b {lr: 1, name: x}\na:\n  <<: *b\n  lr: 2\nc:\n  lr: 3\n  <<: [{z: 0}, *b]")
    assert document.data == {
        "base": {"lr": 1, "name": "x"},
        "a": {"lr": 2, "name": "x"},
        "c": {"lr": 3, "z": 0, "name": "x"},
    }
    assert document.line_of(("a", "lr")) == 4
    assert document.line_of(("a", "name")) == 1


def test_a_quoted_merge_key_is_an_ordinary_key():
    assert parse('"<<": 1').data == {"<<": 1}


BILLION_LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)
DEEP_ALIASES = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 300))


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, "file is empty"),
        ("# only this", 1, "file is empty"),
        ("a: 1\n---\nb: 2", 2, "second document"),
        ("a: &x [*x]", 1, "would contain itself"),
        ("a: &x\n  b: *x", 2, "would contain itself"),
        ("a: *x", 1, "no '&x' comes before it"),
        (BILLION_LAUGHS, 6, "more than 1,000,000 values"),
        (DEEP_ALIASES, 200, "nested more than 200 levels"),
        ("a:\n  " + "[" * 100_000, 2, "nested more than 200 levels"),
        ("- " * 1000, 1, "nested more than 200 levels"),
        ("b: 1\na: !!python/object:os.system x", 2, "python/object:os.system' is not allowed"),
        ("a: !!python/tuple [1]", 1, "python/tuple' is not allowed"),
        ("a: !!set {x}", 1, "set' is not allowed"),
        ("a: !own 1", 1, "'!own' is not allowed"),
        ("a: .nan", 1, ".nan is not allowed"),
        ("a: -.inf", 1, "-.inf is not allowed"),
        ("a: 1e999", 1, "number too large"),
        ("a: " + "1" * 5000, 1, "number too large"),
        ("a: 0x" + "f" * 5000, 1, "number too large"),
        ("1: x", 1, 'the key 1 is not text; write it in quotes: "1"'),
        ("a:\n  true: x", 2, "the key true is not text"),
        ("~: x", 1, "the key null is not text"),
        ("? [a]\n: x", 1, "cannot be a key"),
        ("a:\n  <<: 3", 2, "takes a mapping"),
        ("a: 1\nb: \x07", 2, "U+0007 is not allowed in YAML"),
        ("a:\n\t- b", 2, "indent with spaces, not with tabs"),
        ("a： 1\nb: 2", 2, "full-width colon '：'"),
        ("a: [1, 2", 1, "not valid YAML"),
        ("a: b: c", 1, "(column 5)"),
    ],
)
def test_what_cannot_be_read_is_one_clear_problem(text: str, line: int, expected: str):
    (problem,) = problems_of(text)
    assert expected in problem.message
    assert problem.source == "job.yaml"
    assert problem.line == line
    assert len(str(problem)) < 400


def test_all_repeated_keys_are_reported_with_both_lines():
    first, second = problems_of("a: 1\nb:\n  - c: 1\n    c: [2]\na: 3")
    assert (first.line, first.path) == (4, ("b", 0, "c"))
    assert "in line 3 and in line 4" in first.message
    assert (second.line, second.path) == (5, ("a",))
    assert "in line 1 and in line 5" in second.message
