import pytest

from runyard.config import InvalidJob, Problem, nearest_name, show_path
from runyard.config.problems import printable, shorten


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), ""),
        (("train_args",), "train_args"),
        (("train_args", "metrics", 0, 1), "train_args.metrics[0][1]"),
        ((0, "a"), "[0].a"),
        (("a b", "c"), "['a b'].c"),
        (("训练", "0"), "训练['0']"),
        (("",), "['']"),
    ],
)
def test_paths_are_shown_as_people_write_them(path: tuple[str | int, ...], shown: str):
    assert show_path(path) == shown


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("epoch", ["epochs", "seed"], "epochs"),
        ("EPOCHS", ["epochs"], "epochs"),
        ("adma", ["adamax", "adam"], "adam"),
        ("xyz", ["epochs"], None),
        ("", ["epochs"], None),
        ("a", [], None),
    ],
)
def test_the_nearest_name(name: str, known: list[str], nearest: str | None):
    assert nearest_name(name, known) == nearest


def test_a_problem_says_where_what_was_received_what_was_meant_what_is_allowed_and_what_to_do():
    problem = Problem(
        "unknown key",
        source="job.json",
        line=3,
        path=("a", 0),
        received="'x'",
        allowed="y, z",
        nearest="y",
        hint="write y",
    )
    assert str(problem) == (
        "job.json:3: a[0]: unknown key\n  received: 'x'\n  did you mean 'y'?\n  allowed:  y, z\n  hint: write y"
    )


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("bad"), "bad"),
        (Problem("bad", source="f"), "f: bad"),
        (Problem("bad", path=("a",)), "a: bad"),
        (Problem("bad", source="f", line=1), "f:1: bad"),
    ],
)
def test_what_is_not_known_is_left_out(problem: Problem, text: str):
    assert str(problem) == text


def test_nothing_that_is_shown_moves_the_cursor_or_cannot_be_encoded():
    problem = Problem("a\x1b[2Jb", source="\udcff", received="c\nd\u202e", allowed="\0", nearest="\r", hint="\x07")
    text = str(problem)
    text.encode()
    assert text.count("\n") == 4
    assert all(char.isprintable() for char in text.replace("\n", ""))


def test_printable_text_stays_as_it_is():
    assert printable("训练 '：' \\n") == "训练 '：' \\n"


def test_long_text_is_shortened():
    assert shorten("a" * 60) == "a" * 60
    assert shorten("a" * 61) == "a" * 57 + "..."


def test_problems_are_listed_in_the_order_of_the_file():
    problems = [Problem("c", source="f", line=10), Problem("b", source="f", line=9), Problem("a", source="f")]
    error = InvalidJob(problems)
    assert [problem.message for problem in error.problems] == ["a", "b", "c"]
    assert str(error) == "3 problems found, nothing was started:\nf: a\nf:9: b\nf:10: c"


def test_one_problem_is_not_several():
    assert str(InvalidJob([Problem("bad")])).startswith("1 problem found")
