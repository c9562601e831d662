"""Waivers from end to end."""

import json

import pytest

ROWS = """
- {id: limits.stack, reason: next window, owner: ops}
- {id: "pcie.*", reason: old, expires: 2020-01-01}
- {id: limits.stak, reason: a slip}
"""


@pytest.fixture
def judged(npudoctor, tmp_path):
    """`judged("--fail-on", "fail")`: the JSON report with `ROWS` as waivers, and the exit code."""

    def run(*options, rows=ROWS, file="w.yaml"):
        (tmp_path / file).write_text(rows)
        named = ("--waivers", file) if file == "w.yaml" else ()
        chosen = ("--sample", "founding-story", "--only", "limits.stack,pcie.aspm")
        done = npudoctor("check", *chosen, *named, *options, "--format", "json")
        return json.loads(done.stdout), done

    return run


def test_a_waived_finding_is_shown_and_no_longer_fails_the_run(judged):
    report, done = judged(rows="- {id: limits.stack, reason: why}\n- {id: pcie.aspm, reason: BIOS}\n")
    assert done.returncode == 0
    assert report["summary"]["waived"] == 2
    assert {row["waiver"] for row in report["hosts"][0]["findings"]} == {"why", "BIOS"}


def test_expired_and_unmatched_waivers_are_in_the_report(judged):
    report, done = judged()
    assert done.returncode == 1
    assert [(row["id"], row["state"], row["where"]) for row in report["waivers"]] == [
        ("limits.stack", "used", "w.yaml:2"),
        ("pcie.*", "expired", "w.yaml:3"),
        ("limits.stak", "unmatched", "w.yaml:4"),
    ]


def test_strict_waivers_makes_an_unmatched_one_an_error_after_the_report(judged):
    report, done = judged("--strict-waivers")
    assert done.returncode == 2
    assert report["summary"]["waived"] == 1
    assert done.stderr == "npudoctor: waivers that matched nothing: w.yaml:4 (limits.stak); take them out\n"


def test_the_file_of_the_working_folder_counts(judged):
    report, _done = judged(file=".npudoctor.yaml")
    assert report["summary"]["waived"] == 1


def test_the_text_says_what_became_of_the_waivers(npudoctor, tmp_path):
    (tmp_path / "w.yaml").write_text(ROWS)
    done = npudoctor("check", "--sample", "founding-story", "--waivers", "w.yaml")
    assert "WAIVED  limits.stack" in done.stdout
    assert "waived: next window" in done.stdout
    assert "The waiver of pcie.* expired on 2020-01-01" in done.stdout
    assert "The waiver of limits.stak on * matched nothing (w.yaml:4)." in done.stdout


def test_a_missing_file_is_exit_2(npudoctor):
    done = npudoctor("check", "--sample", "a2-healthy", "--waivers", "none.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("npudoctor: none.yaml: No such file")
