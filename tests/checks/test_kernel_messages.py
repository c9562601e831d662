import pytest

from npudoctor.checks import kernel_messages, storage_mounts

OOM = "[ 9001.5] Memory cgroup out of memory: Killed process 30211 (vllm) total-vm:912345678kB\n"
CRASH = (
    "[ 8123.1] python3[20311]: segfault at 10 ip 00007f2a sp 00007ffd error 6 in libge_runner.so[7f2a+3a2]\n"
)
OTHER_CRASH = "[ 8123.1] nginx[20311]: segfault at 10 ip 00007f2a sp 00007ffd error 6 in nginx[55d0+3a2]\n"
STALL = "[ 9100.2] INFO: task npu-smi:31999 blocked for more than 120 seconds.\n"
SMMU = "[ 9201.0] arm-smmu-v3 arm-smmu-v3.3.auto: event 0x10 received:\n"
DISK = "[ 9301.0] blk_update_request: I/O error, dev sdb, sector 2048 op 0x0:(READ)\n"
QUIET = "[    1.2] systemd[1]: Started Journal Service.\n"

CHECKS = {
    "oom": (kernel_messages.oom_kills, OOM),
    "crash": (kernel_messages.crashes, CRASH),
    "stall": (kernel_messages.stalls, STALL),
    "iommu": (kernel_messages.iommu_faults, SMMU),
    "disk": (storage_mounts.disk_errors, DISK),
}


@pytest.mark.parametrize("kind", CHECKS)
def test_its_own_kind_of_message_warns_with_that_very_line(host, judge, kind):
    function, line = CHECKS[kind]

    finding = judge(function, host(commands={"dmesg": QUIET + line + QUIET}))

    assert finding.status == "warn"
    assert finding.evidence[0].text == line.strip()


@pytest.mark.parametrize("kind", CHECKS)
def test_messages_of_other_kinds_and_none_pass(host, judge, kind):
    function, _own = CHECKS[kind]
    others = "".join(line for name, (_function, line) in CHECKS.items() if name != kind)

    assert judge(function, host(commands={"dmesg": QUIET + others})).status == "pass"


@pytest.mark.parametrize("kind", CHECKS)
@pytest.mark.parametrize(
    "commands", [{}, {"dmesg": ""}, {"dmesg": "dmesg: read kernel buffer failed: Operation not permitted\n"}]
)
def test_messages_that_could_not_be_read_are_unknown(host, judge, kind, commands):
    function, _line = CHECKS[kind]

    assert judge(function, host(commands=commands)).status == "unknown"


def test_killed_processes_are_counted_by_name(host, judge):
    finding = judge(
        kernel_messages.oom_kills, host(commands={"dmesg": OOM + OOM.replace("vllm", "python3") + OOM})
    )

    assert finding.actual == "vllm ×2, python3 ×1"


def test_a_crash_outside_cann_is_not_the_doctors_business(host, judge):
    assert judge(kernel_messages.crashes, host(commands={"dmesg": OTHER_CRASH})).status == "pass"


def test_at_most_three_lines_are_shown(host, judge):
    finding = judge(kernel_messages.stalls, host(commands={"dmesg": STALL * 64}))

    assert len(finding.evidence) <= 3
