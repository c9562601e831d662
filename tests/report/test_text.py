"""The report that a person reads."""

from npudoctor.finding import Status
from npudoctor.report.style import Style
from npudoctor.report.text import to_text
from npudoctor.report.width import columns
from tests.report.findings import Evidence, failed, finding, report_of, unread

PLAIN = Style(width=100)


def text_of(*findings, style=PLAIN, **report):
    return "".join(to_text(report_of(*findings, **report), style, "Exit code 1."))


def test_a_failure_shows_what_was_found_what_proves_it_and_what_to_type():
    assert text_of(failed()).splitlines()[:7] == [
        "node1 (bundle)",
        "FAIL    driver.cann_pairing  Driver and CANN fit together",
        "        found: driver 6.0.0 with CANN 7.0.0; expected: driver 6.3 or newer",
        "        | /usr/local/Ascend/driver/version.info: Version=6.0.0",
        "        → Install driver 23.0.3. [upgrade]",
        "          $ bash hdk.run --upgrade",
        "          $ reboot",
    ]


def test_the_worst_comes_first():
    warned, unknown = finding("npu.warn", Status.WARN), unread("driver.unknown", "/x")
    rows = [finding("os.pass"), warned, unknown, failed("users.fail")]
    text = text_of(*rows)
    assert text.index("users.fail") < text.index("driver.unknown") < text.index("npu.warn")


def test_of_equally_bad_findings_the_chips_come_before_the_host_under_them():
    text = text_of(failed("container.devices"), failed("kernel.thp"), failed("npu.visible"))
    assert text.index("npu.visible") < text.index("kernel.thp") < text.index("container.devices")


def test_passes_and_skips_are_only_counted():
    text = text_of(finding("os.clock"), finding("npu.dies", Status.SKIP, actual="no NPU"))
    assert "os.clock" not in text
    assert "npu.dies" not in text
    assert "1 pass, 1 skip. Exit code 1." in text


def test_verbose_shows_passes_with_their_evidence_and_skips_with_their_reason():
    rows = finding("os.clock"), finding("npu.dies", Status.SKIP, actual="no NPU")
    text = text_of(*rows, style=Style(verbose=True))
    assert "PASS    os.clock" in text
    assert "| /usr/local/Ascend/driver/version.info: Version=6.0.0" in text
    assert "SKIP    npu.dies: no NPU" in text


def test_checks_that_lack_the_same_thing_share_a_line():
    text = text_of(*(unread(f"os.check{n}", f"/proc/{n}") for n in range(9)))
    assert "UNKNOWN 9 checks: not collected" in text
    assert text.count("UNKNOWN") == 1
    assert all(f"os.check{n}" in text for n in range(9))


def test_checks_that_lack_the_same_thing_of_one_place_name_the_place():
    text = text_of(*(unread(f"env.check{n}", "environment") for n in range(9)))
    assert "UNKNOWN 9 checks: environment: not collected" in text


def test_a_screenful_of_unknown_checks_is_counted_by_area():
    rows = [unread(f"npu.check_{n}", "/x") for n in range(30)]
    text = text_of(*rows)
    assert "npu 30 (-v names them)" in text
    assert "npu.check_7" not in text


def test_one_unknown_check_says_what_it_lacks():
    assert "UNKNOWN os.clock: /proc/1: not collected" in text_of(unread("os.clock", "/proc/1"))


def test_long_evidence_is_cut_and_says_so():
    lines = tuple(Evidence("dmesg", f"line {n}") for n in range(9))
    text = text_of(failed(evidence=lines))
    assert "| dmesg: line 2" in text
    assert "| dmesg: line 3" not in text
    assert "| and 6 more lines (-v shows them)" in text


def test_the_blanks_of_a_table_are_left_out_of_its_line():
    row = Evidence("npu-smi info", "| 0     910B3      | OK        |")
    assert "| npu-smi info: | 0 910B3 | OK |" in text_of(failed(evidence=(row,)))


def test_a_host_that_could_not_be_read_says_why():
    assert "UNKNOWN node1.tgz: cut off" in text_of(error="node1.tgz: cut off")


def test_the_heading_says_what_the_host_is():
    about = {"npu": "8 × 910B3", "driver": "24.1.rc3", "CANN": "8.0.RC3"}
    assert text_of(about=about).startswith(
        "node1 (bundle) · npu 8 × 910B3 · driver 24.1.rc3 · CANN 8.0.RC3\n"
    )


def test_nothing_but_words_and_commands_is_wider_than_a_narrow_terminal():
    about = {"npu": "8 × 910B3", "driver": "24.1.rc3", "CANN": "8.0.RC3"}
    rows = failed(actual="驱动 6.0.0 与 CANN 7.0.0 不匹配,无法初始化设备"), unread("os.clock", "/p")
    for line in text_of(*rows, style=Style(width=40), about=about).splitlines():
        assert columns(line) <= 40 or " " not in line.strip("| ") or line.startswith("          $ ")


def test_colours_are_used_only_where_they_are_wanted():
    assert "\x1b[" not in text_of(failed())
    assert "\x1b[1;31mFAIL" in text_of(failed(), style=Style(colour=True))


def test_a_waived_finding_shows_its_reason():
    assert "waived: until the next window" in text_of(
        finding(status=Status.WAIVED, waiver="until the next window")
    )


def test_several_hosts_are_counted_and_the_fleet_comes_last():
    drift = finding("fleet.version_drift", Status.WARN, actual="driver: most have 25.2, but node2 24.1")
    text = text_of(failed(), fleet=(drift,))
    assert text.index("driver.cann_pairing") < text.index("All hosts together") < text.index("node2 24.1")


def test_a_fleet_of_which_nothing_is_to_be_told_has_no_heading():
    fleet = (
        finding("fleet.tls", Status.SKIP, actual="fewer than two hosts to compare"),
        finding("fleet.clocks"),
    )
    assert "All hosts together" not in text_of(failed(), fleet=fleet)
    assert "All hosts together" in text_of(failed(), fleet=fleet, style=Style(verbose=True))
