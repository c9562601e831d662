"""The tools of a CANN, in the layouts up to 8.3 and from 8.5 on, and those that PATH starts."""

from __future__ import annotations

import pytest

OLD = "/usr/local/Ascend/ascend-toolkit/8.1.RC1"
NEW = "/usr/local/Ascend/cann-8.5.0"
INFO = "package_name=Ascend-cann-toolkit\nversion={}\narch=aarch64\n"
ROW = "-r-xr-xr-x 1 root root 512 Sep 21 17:04 {}\n"
GONE = "ls: cannot access '{}': No such file or directory\n"


def machine(host, root, rows, **more):
    files = {
        f"{root}/aarch64-linux/ascend_toolkit_install.info": INFO.format(
            root.split("/")[-1].removeprefix("cann-")
        )
    }
    return host(files, {f"ls -ld tools of {root}": rows, **more})


@pytest.mark.parametrize(
    ("root", "place"),
    [(OLD, "compiler/bin/atc"), (OLD, "bin/atc"), (OLD, "atc/bin/atc"), (NEW, "bin/atc")],
)
def test_atc_is_found_in_each_place_that_it_has_had(host, root, place):
    tools = machine(host, root, ROW.format(f"{root}/{place}")).cann.active.value.tools

    assert tools["atc"].value == f"{root}/{place}"


def test_a_tool_that_is_not_there_is_absent_and_one_that_nobody_looked_for_is_not_known(host):
    gone = "".join(GONE.format(f"{NEW}/{place}") for place in ("bin/msprof", "tools/profiler/bin/msprof"))
    tools = machine(host, NEW, gone + ROW.format(f"{NEW}/bin/atc")).cann.active.value.tools

    assert tools["msprof"].absent
    assert not machine(host, NEW, ROW.format("/bin/sh")).cann.active.value.tools["msprof"].absent


def test_what_path_starts_is_read_with_the_file_that_it_leads_to(host):
    listed = f"atc /usr/local/bin/atc -> {OLD}/aarch64-linux/bin/atc\n"
    started = machine(
        host, NEW, ROW.format(f"{NEW}/bin/atc"), **{"which atc msprof": listed}
    ).cann.started.value

    assert (started["atc"].path, started["atc"].real) == (
        "/usr/local/bin/atc",
        f"{OLD}/aarch64-linux/bin/atc",
    )
    assert "msprof" not in started
