"""The report on many hosts that a person reads."""

from npudoctor.fact import Evidence
from npudoctor.finding import Status
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from npudoctor.report.text import to_text
from npudoctor.report.width import columns
from tests.report.findings import failed, finding, unread


def text_of(*hosts, **look):
    return "".join(to_text(Report(hosts), Style(**look), "Exit code 1."))


def hosts(number, *findings, start=1, **changes):
    return [HostReport(f"node{n}", "ssh", findings, **changes) for n in range(start, start + number)]


def test_a_finding_that_37_hosts_share_is_told_once_with_the_evidence_of_one():
    text = text_of(*hosts(37, failed(), about={"driver": "6.0.0"}), *hosts(3, start=38))
    assert text.splitlines()[:9] == [
        "node[1-37] (37 hosts · ssh · driver 6.0.0)",
        "node[38-40] (3 hosts · ssh)",
        "",
        "FAIL    driver.cann_pairing (37 hosts: node[1-37]) Driver and CANN fit together",
        "        found: driver 6.0.0 with CANN 7.0.0; expected: driver 6.3 or newer",
        "        | node1: /usr/local/Ascend/driver/version.info: Version=6.0.0",
        "        → Install driver 23.0.3. [upgrade]",
        "          $ bash hdk.run --upgrade",
        "          $ reboot",
    ]
    assert "40 hosts: 37 fail. Exit code 1." in text


def test_what_differs_in_numbers_is_told_with_its_hosts_and_the_rest_is_counted():
    rows = [HostReport(f"n{n}", "ssh", (failed(actual=f"NPU {n}: Alarm"),)) for n in range(6)]
    text = text_of(*rows, *hosts(2, failed(actual="NPU 0: Alarm")))
    assert "found: NPU 0: Alarm (n0, node[1-2]); NPU 1: Alarm (n1); NPU 2: Alarm (n2); likewise on" in text
    assert "on 3 hosts" in " ".join(text.split())


def test_one_host_of_many_is_named():
    assert "FAIL    driver.cann_pairing (node2) Driver" in text_of(*hosts(1), *hosts(1, failed(), start=2))


def test_unknown_checks_are_told_by_reason_with_their_hosts():
    rows = [unread(f"os.check{n}", "dmesg") for n in range(5)]
    text = text_of(*hosts(40, *rows))
    assert "UNKNOWN 5 checks (40 hosts: node[1-40]): dmesg: not collected" in text
    assert text.count("UNKNOWN") == 1


def test_hosts_that_cannot_be_reached_come_first_grouped_by_reason():
    dead = [HostReport(f"dead{n}", "ssh", error=f"dead{n}: connection refused") for n in range(12)]
    text = text_of(*hosts(2, failed()), *dead)
    assert "UNKNOWN 12 hosts could not be read wholly: dead[0-11]" in text
    assert "        dead0: connection refused" in text
    assert text.index("UNKNOWN") < text.index("FAIL")


def test_hosts_whose_reason_is_one_too_many_to_be_told_are_named():
    words = "abcdefghijklmnop"
    dead = [HostReport(f"node{n}", "ssh", error=f"unlike {word}") for n, word in enumerate(words, 1)]
    text = text_of(*dead)
    assert "unlike l" in text
    assert "unlike m" not in text
    assert "and 4 other reasons (-v shows them): node[13-16]" in text


def test_verbose_shows_each_host_by_itself():
    text = text_of(*hosts(3, failed()), verbose=True)
    assert text.count("FAIL    driver.cann_pairing  Driver and CANN fit together") == 3


def test_deployment_files_are_told_one_by_one_with_their_lines():
    seen = Evidence("app/Dockerfile", "RUN pip install torch==2.1.0", 3)
    rows = [HostReport(f"app{n}/Dockerfile", "files", (failed(evidence=(seen,)),)) for n in range(2)]
    text = text_of(*rows)
    assert text.count("FAIL    driver.cann_pairing  Driver") == 2
    assert "| app/Dockerfile:3: RUN pip install torch==2.1.0" in text


def test_a_thousand_hosts_with_few_kinds_of_faults_fit_on_a_screen():
    rows = unread("os.a", "/x"), finding("kernel.thp", Status.WARN), failed()
    text = text_of(*hosts(700, *rows), *hosts(300, rows[1], start=701))
    assert len(text.splitlines()) < 30
    assert "kernel.thp (1000 hosts: node[1-1000])" in text


def test_names_without_any_order_are_cut_short_and_the_lines_keep_their_width():
    rows = [HostReport(f"host-{n * n}-x", "ssh", (failed(),)) for n in range(60)]
    text = text_of(*rows, width=80)
    assert "and 51 more" in text
    assert all(columns(line) <= 80 or line.startswith("          $ ") for line in text.splitlines())


def test_hosts_of_many_kinds_are_counted_past_the_first():
    rows = [HostReport(f"n{n}", "ssh", about={"driver": f"25.{n}.0"}) for n in range(9)]
    assert "and 3 hosts more, of 3 other kinds (-v shows each)" in text_of(*rows)
