"""Files of variables, as the programs that read them do."""

import pytest

from npudoctor.gate.dotenv import engine_variables, is_shell_file, is_template, variables
from npudoctor.gate.files import File


def read(text):
    return {name: (one.text, one.where.line) for name, one in variables(File(".env", text)).items()}


def test_quotes_comments_and_export_are_the_dotenv_form():
    text = "# first\nA=1\n\nexport B=\"two words\" # c\nC='$A'\nD = 4 # four\nE=\n"
    assert read(text) == {"A": ("1", 2), "B": ("two words", 4), "C": ("$A", 5), "D": ("4", 6), "E": ("", 7)}


def test_variables_of_earlier_lines_are_put_in():
    found = variables(File(".env", "A=1\nB=${A}/x\nC=${NONE:-d}\nD=$ELSEWHERE\n"))
    assert [found[name].text for name in "BC"] == ["1/x", "d"]
    assert found["D"].unresolved == ("ELSEWHERE",)


def test_docker_run_takes_what_stands_there_quotes_and_all():
    found = engine_variables(File("x.env", 'A="1"\n#B=2\n  C=$A\nD\n'))
    assert {name: one.text for name, one in found.items()} == {"A": '"1"', "C": "$A"}


@pytest.mark.parametrize(
    "text", ["\ufeffA=1", "A=1\r\nB=2", "=\n", "A='unclosed\nB=1", "\x00", "A" * 9999 + "=1"]
)
def test_odd_files_are_read_as_far_as_they_go(text):
    variables(File(".env", text))


@pytest.mark.parametrize(
    ("name", "yes"), [("env.example", True), (".env.template", True), (".env", False), ("cluster.env", False)]
)
def test_templates_are_told_by_their_names(name, yes):
    assert is_template(name) is yes


def test_a_file_that_exports_is_written_for_the_shell():
    assert is_shell_file(File("a.env", "export A=1\n"))
    assert not is_shell_file(File("a.env", "A=1\n"))
    assert not is_shell_file(File("a.txt", "export A=1\n"))
