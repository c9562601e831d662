import pytest

from npudoctor.checks import kernel_tuning

THP = "/sys/kernel/mm/transparent_hugepage/enabled"
SWAPPINESS = "/proc/sys/vm/swappiness"
NUMA = "/proc/sys/kernel/numa_balancing"
GOVERNOR = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("[always] madvise never\n", "pass"),
        ("always [madvise] never\n", "pass"),
        ("always madvise [never]\n", "warn"),
    ],
)
def test_huge_pages_must_not_be_switched_off(host, judge, text, status):
    finding = judge(kernel_tuning.thp, host(files={THP: text}))

    assert finding.status == status
    assert finding.evidence[0].text == text


@pytest.mark.parametrize(("value", "status"), [(0, "pass"), (1, "pass"), (10, "warn"), (60, "warn")])
def test_swappiness_must_be_0_or_1_where_there_is_swap(host, judge, value, status):
    swap = "SwapTotal:       8388604 kB\n"

    finding = judge(kernel_tuning.swappiness, host(files={SWAPPINESS: f"{value}\n", "/proc/meminfo": swap}))

    assert finding.status == status


def test_without_swap_its_value_does_not_matter(host, judge):
    files = {SWAPPINESS: "60\n", "/proc/meminfo": "SwapTotal:             0 kB\n"}

    assert judge(kernel_tuning.swappiness, host(files=files)).status == "pass"


def test_a_high_swappiness_warns_where_nobody_read_whether_there_is_swap(host, judge):
    assert judge(kernel_tuning.swappiness, host(files={SWAPPINESS: "60\n"})).status == "warn"


@pytest.mark.parametrize(("value", "status"), [(0, "pass"), (1, "warn"), (2, "warn")])
def test_numa_balancing_must_be_off(host, judge, value, status):
    assert judge(kernel_tuning.numa_balancing, host(files={NUMA: f"{value}\n"})).status == status


def test_a_kernel_without_numa_balancing_has_none_to_switch_off(host, judge):
    assert judge(kernel_tuning.numa_balancing, host(absent=[NUMA])).status == "skip"


@pytest.mark.parametrize(
    ("name", "status"), [("performance", "pass"), ("ondemand", "warn"), ("schedutil", "warn")]
)
def test_the_governor_must_be_performance(host, judge, name, status):
    assert judge(kernel_tuning.governor, host(files={GOVERNOR.format(0): f"{name}\n"})).status == status


def test_one_slow_core_among_many_is_seen(host, judge):
    files = {GOVERNOR.format(0): "performance\n", GOVERNOR.format(17): "powersave\n"}

    finding = judge(kernel_tuning.governor, host(files=files))

    assert finding.status == "warn"
    assert finding.actual == "performance, powersave"


def test_no_governor_to_choose_is_not_a_fault(host, judge):
    assert judge(kernel_tuning.governor, host(absent=[GOVERNOR.format(0)])).status == "skip"


@pytest.mark.parametrize("function", ["thp", "swappiness", "numa_balancing", "governor"])
def test_a_setting_that_nobody_read_is_unknown(host, judge, function):
    assert judge(getattr(kernel_tuning, function), host()).status == "unknown"
