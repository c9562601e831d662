from pathlib import Path

from npudoctor.checks import npu_use

CASES = Path(__file__).parents[1] / "parse" / "cases"
BUSY = (CASES / "npu-smi-info" / "910b-with-processes.txt").read_text(encoding="utf-8")
HIDDEN = BUSY.replace(
    "| 1       0                 | 40213", "| No running processes found in NPU 1 "
).replace("| python3                  | 57990                   |", "|")


def judged(host, judge, table, **more):
    return judge(npu_use.held, host(commands={"npu-smi info": table, **more}))


def test_memory_with_its_process_beside_it_passes_and_shows_the_process(host, judge):
    finding = judged(host, judge, BUSY)

    assert finding.status == "pass"
    assert finding.evidence[0].text == "NPU 1: pid 40213 python3 57990 MB"


def test_memory_in_use_without_any_process_warns_and_never_fails(host, judge):
    finding = judged(host, judge, HIDDEN)

    assert (finding.status, finding.actual, finding.action) == (
        "warn",
        "in use, no process listed: NPU 1 (61207 / 65536 MB)",
        "free",
    )


def test_what_the_driver_itself_holds_is_no_trouble(host, judge):
    assert judged(host, judge, HIDDEN.replace("61207/ 65536", "4901 / 65536")).status == "pass"


def test_a_holder_that_fuser_sees_explains_the_memory(host, judge):
    holders = "/dev/davinci1:       root       4242 F.... python3\n"

    assert judged(host, judge, HIDDEN, **{"fuser -v /dev/davinci": holders}).status == "pass"


def test_an_npu_smi_that_lists_no_processes_cannot_tell(host, judge):
    chips_only = "\n".join(BUSY.splitlines()[:12])

    assert judged(host, judge, chips_only).status == "unknown"


def test_chips_without_hbm_are_skipped(host, judge):
    soc = (CASES / "npu-smi-info" / "310b-without-bus.txt").read_text(encoding="utf-8")

    assert judged(host, judge, soc).status == "skip"


def test_nothing_collected_is_unknown(host, judge):
    assert judge(npu_use.held, host()).status == "unknown"


def test_a_machine_without_npus_is_skipped(host, judge):
    bare = host(commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n"})

    assert judge(npu_use.held, bare).status == "skip"
