import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runyard.config.problems import InvalidJob, Problem
from runyard.config.relaxed_json import parse_relaxed_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON_DATA = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def read(text: str) -> object:
    return parse_relaxed_json(text, source="job.json")[0]


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(InvalidJob) as caught:
        read(text)
    return caught.value.problems


def message_of(text: str) -> str:
    (problem,) = problems_of(text)
    assert problem.source == "job.json"
    assert problem.line is not None
    return problem.message


@given(JSON_DATA, st.sampled_from([None, 0, 2]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_what_json_writes_is_read_as_json_reads_it(data: object, indent: int | None, ascii_only: bool):
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    result = read(text)
    assert result == json.loads(text)
    assert json.dumps(result) == json.dumps(data)  # tells 1 from 1.0 and True, and -0.0 from 0.0


@pytest.mark.parametrize(
    "text", ["1", "-0", "0.5", "1E+2", "-1.5e-3", '"\\u4e2d\\/\\ud83d\\ude00\\b"', "[]", "{}", " null "]
)
def test_all_forms_of_json_are_read(text: str):
    assert repr(read(text)) == repr(json.loads(text))


def test_comments_and_trailing_commas_are_accepted():
    text = """
    // the job
    { # in the style of Python
      "url": "s3://bucket/#x", /* several
      lines */ "list": [1, 2, /**/ ],
    } // end"""
    assert read(text) == {"url": "s3://bucket/#x", "list": [1, 2]}


def test_lines_are_those_of_keys_and_items():
    text = '/* \n */ {\n"a":\n {"b": 1},\n"c": [\n1, //\n\n{"d":\n2}]}'
    _, lines = parse_relaxed_json(text, source="job.json")
    assert lines == (2, {"a": (3, {"b": 4}), "c": (5, [6, (8, {"d": 8})])})


@pytest.mark.parametrize(
    ("text", "char", "meant"),
    [
        ('{"a"： 1}', "colon '：' (U+FF1A)", ":"),
        ('{"a": 1， "b": 2}', "comma '，' (U+FF0C)", ","),
        ('{"a": [1、2]}', "comma '、' (U+3001)", ","),
        ('{"a": 1； "b": 2}', "semicolon '；' (U+FF1B)", ","),
        ("{“a”: 1}", "quotation mark '“' (U+201C)", '"'),
        ('{"a”: 1}', "quotation mark '”' (U+201D)", '"'),
        ('{"a": ‘b’}', "quotation mark '‘' (U+2018)", '"'),
        ('｛"a": 1}', "brace '｛' (U+FF5B)", "{"),
        ('{"a": 1｝', "brace '｝' (U+FF5D)", "}"),
        ('{"a": ［1]}', "bracket '［' (U+FF3B)", "["),
        ('{"a": [1］}', "bracket '］' (U+FF3D)", "]"),
        ('{"a": １}', "character '１' (U+FF11)", "1"),
    ],
)
def test_full_width_punctuation_is_named(text: str, char: str, meant: str):
    assert f"full-width {char} where '{meant}' is needed; type it with the English keyboard" in message_of(text)


def test_full_width_punctuation_in_strings_is_ordinary_text():
    assert read('{"说明：": "训练，“好”"}') == {"说明：": "训练，“好”"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "file is empty"),
        ("// only this", "file is empty"),
        ("{'a': 1}", "put the key in double quotes"),
        ("{\"a\": 'b'}", "use double quotes"),
        ("{name: 1}", 'a key must be in double quotes: "name"'),
        ('{"a": adam}', 'text must be in double quotes: "adam"'),
        ('{"a": True}', "write 'true'"),
        ('{"a": False}', "write 'false'"),
        ('{"a": None}', "write 'null'"),
        ('{"a": NaN}', "NaN is not allowed"),
        ('{"a": -Infinity}', "-Infinity is not allowed"),
        ('{"a": 1e999}', "number too large"),
        ('{"a": -1e999}', "number too large"),
        ('{"a": ' + "1" * 5000 + "}", "number too large: it has 5000 digits"),
        ('{"a": 01}', "'01' is not a JSON number"),
        ('{"a": +1}', "'+1' is not a JSON number"),
        ('{"a": .5}', "'.5' is not a JSON number"),
        ('{"a": 1.}', "'1.' is not a JSON number"),
        ('{"a": 1_000}', "'1_000' is not a JSON number"),
        ('{"a": 1 "b": 2}', "',' is missing after this value, before '\"b\"'"),
        ("[1 2]", "',' is missing after this value, before '2'"),
        ('{"a" 1}', "where ':' is needed after the key \"a\""),
        ('{"a" = 1}', "'=' where ':' is needed"),
        ('{"a": 1; "b": 2}', "';' where ',' is needed"),
        ('{"a": }', "a value is missing before '}'"),
        ("[1,,2]", "a value is missing before ','"),
        ("{,}", "one ',' too many"),
        ('{"a": [1}', "'}' where ']' is needed to close the '[' of line 1"),
        ('{"a": 1}}', "one '}' too many"),
        ('{"a": 1} {', "text goes on after the end"),
        ("]", "']' closes nothing"),
        ('{"a": "b', "string is not closed"),
        ('{"a": "b\n"}', "string is not closed"),
        ("[1 /* 2]", "comment is not closed"),
        ('["C:\\data"]', "'\\d' is not an escape; write a backslash as '\\\\'"),
        ('["\\u12"]', "four hexadecimal digits"),
        ('["\\ud800"]', "half of a surrogate pair"),
        ('["\\ud800\\u0041"]', "half of a surrogate pair"),
        ('["\\udc00"]', "half of a surrogate pair"),
        ('["a\tb"]', "control character U+0009 in a string; write it as '\\t'"),
        ('["a\x00b"]', "write it as '\\u0000'"),
        ("[\u3000]", "unusual space U+3000"),
        ("[\u200b]", "invisible character U+200B"),
        ("[" * 100_000, "nested more than 200 levels"),
        ('{"a":' * 100_000, "nested more than 200 levels"),
    ],
)
def test_each_slip_gets_its_own_message(text: str, expected: str):
    assert expected in message_of(text)


def test_200_levels_are_read():
    assert read("[" * 200 + "]" * 200) == json.loads("[" * 200 + "]" * 200)


def test_an_unclosed_bracket_is_traced_to_its_line():
    (problem,) = problems_of('{\n"a": [\n1,\n2\n')
    assert "'[' of line 2 is never closed" in problem.message
    assert problem.line == 5


def test_a_missing_comma_is_reported_where_it_is_missing():
    (problem,) = problems_of('{\n  "a": {"b": 2}\n\n  "c": 3}')
    assert (problem.line, problem.path) == (2, ())
    assert "(column 16)" in problem.message


def test_an_error_says_where_in_the_data_it_is():
    (problem,) = problems_of('{"a": [0, {\n"b": tru}]}')
    assert (problem.line, problem.path) == (2, ("a", 1, "b"))
    assert "(column 6)" in problem.message


def test_all_repeated_keys_are_reported_with_both_lines():
    first, second, third = problems_of('{"a": 1,\n"b": {"c": 1,\n"c": 2},\n"a": 3,\n"a": 4}')
    assert (first.path, first.line) == (("b", "c"), 3)
    assert "in line 2 and in line 3" in first.message
    assert (second.path, second.line, third.line) == (("a",), 4, 5)
    assert "in line 1 and in line 4" in second.message
    assert "in line 1 and in line 5" in third.message


def test_repeated_keys_are_reported_together_with_a_syntax_error():
    assert [problem.line for problem in problems_of('{"a": 1,\n"a": 2,\n"b" 3}')] == [2, 3]


def test_control_characters_of_the_file_do_not_reach_the_terminal():
    assert message_of("\x1b[31m").isprintable()
    assert message_of('["\\\x1b"]').isprintable()


@pytest.mark.parametrize("piece", ['{"k": "v\\n"},\n', "[ ],", "1 // x\n ,", "1/* * */,", "1" * 100 + ".5,"])
def test_time_grows_no_faster_than_the_text(piece: str):
    count = 500_000 // len(piece)
    start = time.process_time()
    assert isinstance(read("[" + piece * count + "]"), list)
    assert time.process_time() - start < 3
