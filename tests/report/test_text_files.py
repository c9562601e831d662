"""Deployment files in the text report."""

from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Finding, Fix, Status
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from npudoctor.report.text import to_text


def finding(id, status, line, actual="said", fix=None):
    return Finding(
        id, status, "A title", actual, "", Action.NONE, 0.0, (Evidence("a/run.sh", "text", line),), fix, ()
    )


def text(*findings, verbose=False):
    report = Report((HostReport("a/run.sh", "files", findings), HostReport("b.yaml", "files", ())))
    return "".join(to_text(report, Style(verbose=verbose), "Done."))


def test_the_line_comes_first_and_the_worst_before_the_rest():
    lines = text(
        finding("env.values", Status.WARN, 9), finding("container.chip", Status.FAIL, 3)
    ).splitlines()
    assert lines[0] == "a/run.sh:3"
    assert lines[1].startswith("FAIL    container.chip")
    assert "a/run.sh:9" in lines


def test_an_edit_is_shown_as_what_goes_and_what_comes():
    fix = Fix(Action.CONFIGURE, "Take it.", edits=(Edit("a/run.sh", 3, "  old", "  new\n  more"),))
    shown = text(finding("container.chip", Status.FAIL, 3, fix=fix))
    assert "          - old\n          + new\n          + more\n" in shown


def test_of_many_that_are_alike_the_first_few_are_told_in_full():
    many = [finding("container.shm", Status.WARN, line) for line in range(1, 9)]
    shown = text(*many)
    assert shown.count("A title") == 3
    assert "WARN    a/run.sh:8: container.shm: said" in shown
    assert text(*many, verbose=True).count("A title") == 8


def test_what_is_unknown_takes_a_line_each_and_many_are_counted():
    shown = text(*[finding("container.image_known", Status.UNKNOWN, line) for line in range(1, 10)])
    assert shown.count("UNKNOWN") == 4
    assert "container.image_known: 6 more places (-v shows them)" in shown


def test_files_are_counted_as_files():
    assert "2 files: 1 fail. Done." in text(finding("container.chip", Status.FAIL, 3))
