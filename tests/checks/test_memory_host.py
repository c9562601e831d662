import pytest

from npudoctor.checks import memory_host

SHOW = "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad"
KUBELET = {SHOW: "Id=kubelet.service\nLoadState=loaded\nLimitSTACKSoft=8388608\n"}
HEAD = "Filesystem 1024-blocks Used Available Capacity Mounted on\n"


def meminfo(**values):
    lines = (
        f"{name}: {value} kB\n" if "Pages_" not in name else f"{name}: {value}\n"
        for name, value in values.items()
    )
    return {"/proc/meminfo": "".join(lines)}


def shm(total, free):
    return {"df -Pk": HEAD + f"tmpfs {total} {total - free} {free} 1% /dev/shm\n"}


@pytest.mark.parametrize(
    ("left", "status"), [(400_000_000, "pass"), (26_400_000, "pass"), (20_000_000, "warn")]
)
def test_a_twentieth_of_memory_must_be_left(host, judge, left, status):
    finding = judge(memory_host.available, host(files=meminfo(MemTotal=527_982_592, MemAvailable=left)))

    assert finding.status == status
    assert finding.evidence[0].text == f"MemAvailable: {left} kB"


def test_a_table_without_the_line_is_unknown(host, judge):
    assert judge(memory_host.available, host(files=meminfo(MemTotal=527_982_592))).status == "unknown"


def test_swap_beside_kubelet_warns(host, judge):
    finding = judge(memory_host.swap, host(files=meminfo(SwapTotal=8_388_604), commands=KUBELET))

    assert finding.status == "warn"


def test_swap_without_kubelet_is_not_judged(host, judge):
    assert judge(memory_host.swap, host(files=meminfo(SwapTotal=8_388_604))).status == "skip"


def test_no_swap_passes(host, judge):
    assert judge(memory_host.swap, host(files=meminfo(SwapTotal=0), commands=KUBELET)).status == "pass"


@pytest.mark.parametrize(
    ("total", "free", "status"),
    [
        (263_991_296, 263_991_296, "pass"),
        (1_048_576, 1_000_000, "pass"),
        (65_536, 65_536, "warn"),
        (263_991_296, 12, "fail"),
    ],
)
def test_shared_memory_has_1_gib_and_room(host, judge, total, free, status):
    assert judge(memory_host.shm, host(commands=shm(total, free))).status == status


def test_a_container_is_told_the_option_of_docker(host, judge):
    inside = host(commands=shm(65_536, 65_536) | {"systemd-detect-virt": "docker\n"})

    assert judge(memory_host.shm, inside).fix.commands == ("docker run --shm-size=1g …",)


def test_a_df_without_that_row_is_unknown(host, judge):
    disks = HEAD + "/dev/sda2 960303848 221340032 690109312 25% /\n"

    assert judge(memory_host.shm, host(commands={"df -Pk": disks})).status == "unknown"


@pytest.mark.parametrize(
    ("pages", "free", "status"), [(0, 0, "pass"), (100_000, 100_000, "warn"), (100_000, 10, "pass")]
)
def test_reserved_pages_of_2_mb_must_be_in_use(host, judge, pages, free, status):
    table = meminfo(MemTotal=527_982_592, HugePages_Total=pages, HugePages_Free=free, Hugepagesize=2048)

    assert judge(memory_host.huge_pages, host(files=table)).status == status


@pytest.mark.parametrize("function", ["available", "swap", "shm", "huge_pages"])
def test_nothing_read_is_unknown(host, judge, function):
    assert judge(getattr(memory_host, function), host()).status == "unknown"
