from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from runyard.config.document import Document, parse_document, read_document
from runyard.config.problems import InvalidJob, Problem

WORDS = ["null", "true", "- ", "a: ", "&x ", "*x", "<<: ", "\\u", '"a"']
PIECES = [*'{}[]",:\\/#*-&<!|>%@`\n\t\r 01.eE+：“', *WORDS]


def refusal(path: Path) -> Problem:
    with pytest.raises(InvalidJob) as caught:
        read_document(path)
    (problem,) = caught.value.problems
    assert problem.source == str(path)
    return problem


@pytest.mark.parametrize("name", ["job.json", "job.jsonc", "job", "job.YAML", "job.yml"])
def test_the_name_of_a_file_decides_how_it_is_read(tmp_path: Path, name: str):
    path = tmp_path / name
    is_yaml = name.lower().endswith(("yaml", "yml"))
    path.write_text("mode: no" if is_yaml else '{"mode": "no"} // JSON')
    document = read_document(path)
    assert document.data == {"mode": "no"}
    assert document.source == str(path)


@pytest.mark.parametrize("name", ["job.json", "job.yaml"])
def test_a_byte_order_mark_is_accepted(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes('\ufeff{"名": 1}'.encode())
    assert read_document(path).data == {"名": 1}


def test_windows_line_ends_count_once():
    assert parse_document('{\r\n"a":\r\n1,\r\n"b": 2}', source="job.json").line_of(("b",)) == 4


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path):
    assert "no such file" in refusal(tmp_path / "job.json").message


def test_a_directory_is_said_to_be_one(tmp_path: Path):
    assert "directory" in refusal(tmp_path).message


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path):
    loop = tmp_path / "job.json"
    loop.symlink_to(loop)
    assert "cannot be read" in refusal(loop).message
    assert "cannot be read" in refusal(tmp_path / "a\0b").message


def test_text_that_is_not_utf_8_is_traced_to_its_line(tmp_path: Path):
    path = tmp_path / "job.json"
    path.write_bytes('{"a": 1,\n"b": "训练"}'.encode("gbk"))
    problem = refusal(path)
    assert problem.line == 2
    assert "save it with the encoding UTF-8" in problem.message


def test_utf_16_is_recognised(tmp_path: Path):
    path = tmp_path / "job.json"
    path.write_text("{}", encoding="utf-16")
    assert "looks like UTF-16" in refusal(path).message


def test_the_line_of_what_is_not_written_is_that_of_what_is_around_it():
    document = parse_document('\n{"a":\n[1,\n{"b": 2}]}', source="job.json")
    assert document.line_of(("a", 1, "b")) == 4
    assert document.line_of(("a", 1, "missing", "deeper")) == 4
    assert document.line_of(("a", 7)) == 2
    assert document.line_of(("a", -1)) == 2
    assert document.line_of(("missing",)) == 2
    assert Document(data={}, source="", lines={}).line_of(("a",)) is None


def test_lines_can_be_listed():
    document = parse_document('{"a": [1,\n2]}', source="job.json")
    assert dict(document.lines) == {(): 1, ("a",): 1, ("a", 0): 1, ("a", 1): 2}
    assert len(document.lines) == 4


@pytest.mark.parametrize("source", ["job.json", "job.yaml"])
@given(text=st.text(st.characters(exclude_categories=[])) | st.lists(st.sampled_from(PIECES)).map("".join))
@example(text="\ud800")
@example(text="[" * 5000)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_document_or_an_invalid_job(source: str, text: str):
    try:
        document = parse_document(text, source=source)
    except InvalidJob as error:
        str(error).encode()  # it can be printed
        assert error.problems
    else:
        assert () in document.lines
