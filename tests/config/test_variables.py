from datetime import datetime

import pytest

from runyard.config.mistakes import Mistake
from runyard.config.variables import Variables, expand, known_variables


def run(data: object, *, now: datetime = datetime(2024, 3, 31, 10, 20, 30)) -> tuple[object, list[Mistake]]:
    return expand(data, variables=Variables(pack_path="/pack", data_path=r"C:\1\g<0>", now=now))


def expanded(data: object, *, now: datetime = datetime(2024, 3, 31, 10, 20, 30)) -> object:
    result, problems = run(data, now=now)
    assert problems == []
    return result


def problem_of(text: str) -> Mistake:
    result, (problem,) = run(text)
    assert result == text
    return problem


@pytest.mark.parametrize("name", ["PACK_PATH", "PROJ_PATH"])
def test_the_pack_path_has_two_names(name: str):
    assert expanded(f"${{{name}}}$/a.py") == "/pack/a.py"


@pytest.mark.parametrize("name", ["DATA_PATH", "RUN_PATH", "EXPORT_PATH"])
def test_the_data_path_has_three_names_and_is_inserted_literally(name: str):
    assert expanded(f"${{{name}}}$/x") == r"C:\1\g<0>/x"


def test_strings_are_found_everywhere_but_not_in_keys():
    data = {"${PACK_PATH}$": ["${PACK_PATH}$", {"a": "x${PACK_PATH}$y"}, 1, 0.5, True, None]}
    assert expanded(data) == {"${PACK_PATH}$": ["/pack", {"a": "x/packy"}, 1, 0.5, True, None]}
    assert data["${PACK_PATH}$"][0] == "${PACK_PATH}$"


def test_what_is_inserted_is_not_expanded_again():
    variables = Variables(pack_path="${DATA_PATH}$", data_path="/data", now=datetime(2024, 1, 1))
    assert expand("${PACK_PATH}$", variables=variables) == ("${DATA_PATH}$", [])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${DATE}$", "20240331"),
        ("${DATE-1d}$", "20240330"),
        ("${DATE+1d}$", "20240401"),
        ("${DATE-1w}$", "20240324"),
        ("${DATE-11h:%Y-%m-%d %H:%M}$", "2024-03-30 23:20"),
        ("${DATE-21m:%H:%M:%S}$", "09:59:30"),
        ("${DATE+30s:%H:%M:%S}$", "10:21:00"),
        ("${DATE-1M}$", "20240229"),
        ("${DATE-13M}$", "20230228"),
        ("${DATE+1M}$", "20240430"),
        ("${DATE-3M}$", "20231231"),
        ("${DATE+12M}$", "20250331"),
        ("${DATE-1y}$", "20230331"),
        ("${DATE:%Y}$/${DATE-1d:%m/%d}$/x", "2024/03/30/x"),
        ("${DATE:{%Y}}$", "{2024}"),
        ("${DATE:100%%}$", "100%"),
        ("${DATE:%-m年}$", "3年"),
    ],
)
def test_dates(text: str, result: str):
    assert expanded(text) == result


def test_a_year_after_a_leap_day_is_the_last_of_february():
    assert expanded("${DATE+1y}$", now=datetime(2024, 2, 29)) == "20250228"


@pytest.mark.parametrize("text", ["${ONLINE_MODEL}$", "${HOME}/x", "$DATE$", "$HOME", "${", "}$", "${DATE", "a$b{c}"])
def test_what_is_no_variable_of_ours_stays(text: str):
    assert expanded(text) == text


def test_an_unclosed_variable_does_not_swallow_the_next_one():
    assert expanded("${HOME}/${DATE}$") == "${HOME}/20240331"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("${DATA_PAHT}$", "DATA_PATH"), ("${date}$", "DATE"), ("${DATE1}$", "DATE"), ("${XYZZY}$", None), ("${}$", None)],
)
def test_an_unknown_name_is_a_problem(text: str, nearest: str | None):
    problem = problem_of(text)
    assert "unknown variable" in problem.message
    assert (problem.received, problem.allowed, problem.nearest) == (text, ", ".join(known_variables()), nearest)


def test_only_dates_take_more_than_a_name():
    assert "takes nothing after its name" in problem_of("${DATA_PATH-1d}$").message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${DATE-1q}$", "malformed"),
        ("${DATE-d}$", "malformed"),
        ("${DATE 1d}$", "malformed"),
        ("${DATE-1d-1h}$", "malformed"),
        ("${DATE:}$", "malformed"),
        ("${DATE-١d}$", "malformed"),
        ("${DATE-99999999d}$", "outside the years"),
        ("${DATE-99999M}$", "outside the years"),
        ("${DATE+8000y}$", "outside the years"),
        ("${DATE-2024y}$", "outside the years"),
        ("${DATE-" + "9" * 5000 + "s}$", "outside the years"),
        ("${DATE:%Q}$", "'%Q' is not a date format"),
        ("${DATE:%Y%}$", "'%' is not a date format"),
        ("${DATE:%999999999d}$", "'%9' is not a date format"),
        ("${DATE:%Y\ud800}$", "cannot be written"),
    ],
)
def test_a_malformed_date_is_a_problem(text: str, expected: str):
    problem = problem_of(text)
    assert expected in problem.message
    assert problem.allowed is not None
    assert "${DATE-1d}$" in problem.allowed
    assert len(problem.message) + len(problem.received or "") < 200


def test_all_problems_come_at_once_with_their_places():
    result, mistakes = run({"a": "${NOPE}$ ${DATE:%Y}$ ${DATE-1q}$", "b": ["", "${WHAT}$"]})
    assert result == {"a": "${NOPE}$ 2024 ${DATE-1q}$", "b": ["", "${WHAT}$"]}
    assert [mistake.path for mistake in mistakes] == [("a",), ("a",), ("b", 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${DATE－1d}$", "full-width character '－' (U+FF0D) where '-' is needed"),
        ("${DATE—1d}$", "dash '—' (U+2014) where '-' is needed"),
        ("${DATE＋1d}$", "full-width character '＋' (U+FF0B) where '+' is needed"),
        ("${DATE：%Y}$", "full-width colon '：' (U+FF1A) where ':' is needed"),
        ("${DATE-１d}$", "full-width character '１' (U+FF11) where '1' is needed"),
        ("${ＤＡＴＥ}$", "full-width character 'Ｄ' (U+FF24) where 'D' is needed"),
        ("${PACK_PATH\u3000}$", "unusual space U+3000 where an ordinary space is needed"),
        ("${DATE｝$", "full-width brace '｝' (U+FF5D) where '}' is needed"),
        ("$｛DATA_PATH｝$/x", "full-width brace '｛' (U+FF5B) where '{' is needed"),
        ("＄{ＤＡＴＥ-1d}$", "full-width dollar sign '＄' (U+FF04) where '$' is needed"),
    ],
)
def test_characters_of_another_keyboard_are_explained(text: str, message: str):
    problem = problem_of(text)
    assert problem.message == f"{message}; type it with the English keyboard"
    assert problem.received is not None


def test_full_width_letters_are_read_when_a_name_is_suggested():
    assert problem_of("${ＤＡＴＥ}$").nearest == "DATE"


@pytest.mark.parametrize("text", ["＄{价格}$", "$｛x｝$", "｛DATE｝", "${DATE:%Y年－%m}$", "${" + "a" * 100_000])
def test_other_texts_with_such_characters_are_left_alone(text: str):
    assert isinstance(expanded(text), str)
