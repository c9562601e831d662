"""atc and msprof: there, and those of the CANN in use."""

from __future__ import annotations

import pytest

from npudoctor.checks.cann_tools import atc, msprof
from npudoctor.finding import Status

ROOT = "/usr/local/Ascend/cann-8.5.0"
TOOLKIT = {
    f"{ROOT}/aarch64-linux/ascend_toolkit_install.info": (
        "package_name=Ascend-cann-toolkit\nversion=8.5.0\narch=aarch64\n"
    )
}
NNRT = {
    "/usr/local/Ascend/nnrt/8.3.RC1/aarch64-linux/ascend_nnrt_install.info": (
        "package_name=Ascend-cann-nnrt\nversion=8.3.RC1\narch=aarch64\n"
    )
}
LS = f"ls -ld tools of {ROOT}"
THERE = "".join(
    f"-r-xr-xr-x 1 root root 512 Sep 21 17:04 {ROOT}/{place}\n"
    for place in ("bin/atc", "tools/profiler/bin/msprof")
)
GONE = "".join(
    f"ls: cannot access '{ROOT}/{place}': No such file or directory\n"
    for place in ("bin/atc", "compiler/bin/atc", "atc/bin/atc", "bin/msprof", "tools/profiler/bin/msprof")
)
BOTH = pytest.mark.parametrize("check", [atc, msprof])


@BOTH
def test_a_tool_of_the_cann_in_use_passes(judge, host, check):
    assert judge(check, host(TOOLKIT, {LS: THERE})).status is Status.PASS


@BOTH
def test_a_toolkit_without_it_is_a_warning(judge, host, check):
    finding = judge(check, host(TOOLKIT, {LS: GONE}))

    assert finding.status is Status.WARN
    assert finding.fix.role == "toolkit"


@BOTH
def test_where_nobody_looked_it_is_unknown(judge, host, check):
    assert judge(check, host(TOOLKIT)).status is Status.UNKNOWN


@BOTH
def test_the_runtime_alone_brings_none(judge, host, check):
    assert judge(check, host(NNRT)).status is Status.SKIP


@BOTH
def test_without_cann_there_is_nothing_to_judge(judge, host, check):
    machine = host(
        commands={"ls -l /usr/local/Ascend": "total 0\ndrwxr-xr-x 2 root root 6 Sep 21 17:04 driver\n"}
    )

    assert judge(check, machine).status is Status.SKIP


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (f"atc /usr/local/bin/atc -> {ROOT}/bin/atc\n", Status.PASS),
        (f"atc {ROOT}/bin/atc -> /opt/wrapped/atc\n", Status.PASS),
        ("atc /opt/old/bin/atc -> /opt/ascend-toolkit/8.1.RC1/bin/atc\n", Status.WARN),
    ],
)
def test_path_has_to_start_the_one_of_the_cann_in_use(judge, host, line, status):
    finding = judge(atc, host(TOOLKIT, {LS: THERE, "which atc msprof": line}))

    assert finding.status is status
    assert status is Status.PASS or "8.1.RC1" in finding.actual
