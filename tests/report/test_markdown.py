"""Markdown that fits a comment of a pull request."""

from dataclasses import replace

import pytest

from npudoctor.fact import Evidence
from npudoctor.finding import Status
from npudoctor.report.markdown import to_markdown
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of

COMMENT = 65_536


def text_of(report):
    return "".join(to_markdown(report, Style(), ""))


def rows_of(report):
    return [line for line in text_of(report).splitlines() if line.startswith("| ")][2:]


def hosts_of(number, finding):
    return Report(tuple(HostReport(f"node{n}", "ssh", (finding,)) for n in range(number)))


def test_a_row_says_what_where_and_what_was_found():
    assert rows_of(report_of(failed())) == [
        "| 🔴 fail | <code>driver.cann_pairing</code> | node1 | driver 6.0.0 with CANN 7.0.0 |"
    ]


def test_the_details_are_folded_and_have_the_proof_and_the_commands():
    text = text_of(report_of(failed()))
    details = text[text.index("<details>") : text.index("</details>")]
    assert "```text\n/usr/local/Ascend/driver/version.info: Version=6.0.0\n```" in details
    assert "Install driver 23.0.3. [upgrade]" in details
    assert "```sh\nbash hdk.run --upgrade\nreboot\n```" in details


def test_the_worst_comes_first():
    rows = rows_of(report_of(finding("os.a", Status.WARN), finding("os.b", Status.UNKNOWN), failed("os.c")))
    ids = [row.split("code>")[1].removesuffix("</") for row in rows]
    assert ids == ["os.c", "os.b", "os.a"]


def test_passes_and_skips_are_only_counted():
    text = text_of(report_of(finding("os.clock"), finding("npu.dies", Status.SKIP)))
    assert text.startswith("## npudoctor: 1 pass, 1 skip\n")
    assert "os.clock" not in text


def test_hosts_that_share_a_finding_share_a_row():
    (row,) = rows_of(hosts_of(37, failed()))
    assert "| node0, node1, node2 and 34 more |" in row


def test_each_place_of_a_file_has_a_row_and_an_edit_is_a_diff(of_files):
    rows = rows_of(of_files)
    assert [row.split(" | ")[2] for row in rows] == [
        "deploy/Dockerfile:7",
        "deploy/Dockerfile:12",
        "deploy/Dockerfile",
    ]
    assert (
        "```diff\n@@ deploy/Dockerfile:7 @@\n-RUN pip install torch==2.1.0\n+RUN pip install torch==2.5.1\n"
        in text_of(of_files)
    )


def test_a_waived_finding_shows_its_reason_and_an_expired_waiver_is_told(of_samples):
    text = text_of(of_samples)
    assert "accepted until Monday" in text
    assert "The waiver of pcie expired on 2026-01-01" in text


def test_a_host_that_could_not_be_read_is_told(of_samples):
    assert "- node9: connection timed out after 30 s\n" in text_of(of_samples)


@pytest.mark.parametrize("letter", ["x", "字", "😀"])
def test_it_fits_a_comment_and_counts_what_is_left_out(letter):
    long = failed(actual=letter * 5000, evidence=(Evidence("dmesg", "\n".join([letter * 500] * 99)),))
    files = (HostReport(f"f{n}", "files", (replace(long, title=letter * 300),)) for n in range(500))
    text = text_of(Report(tuple(files)))
    assert len(text.encode("utf-16-le")) // 2 < COMMENT
    assert "more are left out here" in text
    assert text.count("<details>") == text.count("</details>") > 0


def without_code(text):
    """The lines that stand in no code block; a block ends at a fence as long as the one that began it."""
    kept, fence = [], None
    for line in text.splitlines():
        if fence is None and line.startswith("```"):
            fence = line.rstrip("abcdefghijklmnopqrstuvwxyz")
        elif fence is None:
            kept.append(line)
        elif line == fence:
            fence = None
    assert fence is None
    return "\n".join(kept)


def test_nothing_that_was_read_becomes_markup(hostile):
    text = text_of(hostile)
    outside = without_code(text)
    assert "<img" not in outside
    assert "</script" not in outside
    assert "@all" not in outside
    assert "[a](b)" not in outside
    assert "\x1b" not in text
    assert "# heading" not in outside
    for row in rows_of(hostile):
        assert row.count("|") == 5
