"""What is said of a CANN installation."""

from __future__ import annotations

import pytest

from npudoctor.checks import cann
from npudoctor.fact import Unavailable
from npudoctor.finding import Status

ROOT = "/usr/local/Ascend/ascend-toolkit/8.2.RC1"
FILE = f"{ROOT}/aarch64-linux/ascend_toolkit_install.info"
NEW = "/usr/local/Ascend/cann-8.5.0/aarch64-linux/ascend_toolkit_install.info"
INSTALL = "package_name=Ascend-cann-toolkit\nversion=8.2.RC1\narch=aarch64\n"
INSTALL_NEW = INSTALL.replace("8.2.RC1", "8.5.0")
SEARCHED = ["/etc/Ascend/ascend_cann_install.info"]
ONE_PYTHON = "# /usr/bin/python3 3.10.12\n"
DRIVER = "/usr/local/Ascend/driver/version.info"
CFG = "runtime_running_version=[8.2.0.1.203:8.2.RC1]\ncompiler_running_version=[8.2.0.1.203:8.2.RC1]\n"


def test_an_installed_cann_passes_and_shows_its_line(host):
    verdict = cann.installed(host({FILE: INSTALL}))

    assert verdict.status is Status.PASS
    assert verdict.evidence[0].text == "version=8.2.RC1"


def test_torch_npu_without_cann_fails(host):
    verdict = cann.installed(host(packages=ONE_PYTHON + "torch-npu==2.7.1\n", absent=SEARCHED))

    assert verdict.status is Status.FAIL
    assert "torch-npu==2.7.1" in verdict.actual


def test_a_host_that_needs_no_cann_is_skipped(host):
    assert cann.installed(host(packages=ONE_PYTHON, absent=SEARCHED)).status is Status.SKIP


def test_a_machine_that_nobody_searched_is_no_machine_without_cann(host):
    with pytest.raises(Unavailable):
        cann.installed(host())


def test_a_damaged_install_file_is_told(host):
    verdict = cann.readable(host({FILE: "package_name=Ascend-cann-toolkit\n"}))

    assert verdict.status is Status.WARN
    assert "no version= line" in verdict.actual


def test_a_whole_install_file_is_readable(host):
    assert cann.readable(host({FILE: INSTALL})).status is Status.PASS


def test_one_cann_is_clear(host):
    assert cann.several(host({FILE: INSTALL})).status is Status.PASS


def test_two_layouts_side_by_side_are_a_warning(host):
    two = host({FILE: INSTALL, NEW: INSTALL_NEW}, environment=f"ASCEND_HOME_PATH={ROOT}\n")

    assert cann.several(two).status is Status.WARN


def test_a_damaged_package_name_does_not_hide_the_second_layout(host):
    damaged = INSTALL.replace("Ascend-cann-toolkit", "Ascend-cann-to\ufffdlkit")
    two = host({FILE: damaged, NEW: INSTALL_NEW}, environment=f"ASCEND_HOME_PATH={ROOT}\n")

    assert cann.several(two).status is Status.WARN


def test_two_versions_of_one_layout_are_clear_where_the_environment_names_one(host):
    other = FILE.replace("8.2.RC1", "8.1.RC1")
    two = {FILE: INSTALL, other: INSTALL.replace("8.2.RC1", "8.1.RC1")}

    assert cann.several(host(two, environment=f"ASCEND_HOME_PATH={ROOT}\n")).status is Status.PASS
    assert cann.several(host(two, environment="A=1\n")).status is Status.WARN


def test_one_cann_beside_a_damaged_one_is_not_clear(host):
    assert cann.several(host({FILE: INSTALL, NEW: "package_name="})).status is Status.UNKNOWN


def test_a_link_that_leads_nowhere_fails(host):
    rows = "total 0\ndrwxr-xr-x 9 root root 90 Sep 21 17:04 8.2.RC1\n"
    link = "lrwxrwxrwx 1 root root 9 Sep 21 17:04 latest -> ./8.1.RC1\n"
    command = "ls -l /usr/local/Ascend/ascend-toolkit"

    verdict = cann.several(host({FILE: INSTALL}, {command: rows + link}))

    assert verdict.status is Status.FAIL
    assert "latest -> ./8.1.RC1" in verdict.evidence[0].text


def test_a_link_that_leads_to_a_version_is_fine(host):
    rows = "total 0\ndrwxr-xr-x 9 root root 90 Sep 21 17:04 8.2.RC1\n"
    link = "lrwxrwxrwx 1 root root 9 Sep 21 17:04 latest -> ./8.2.RC1\n"

    assert (
        cann.several(host({FILE: INSTALL}, {"ls -l /usr/local/Ascend/ascend-toolkit": rows + link})).status
        is Status.PASS
    )


def test_components_of_one_version_are_whole(host):
    assert cann.install_complete(host({FILE: INSTALL, f"{ROOT}/version.cfg": CFG})).status is Status.PASS


def test_components_of_two_versions_are_a_half_upgrade(host):
    mixed = CFG + "hccl_running_version=[7.7.0.1.238:8.1.RC1]\n"

    verdict = cann.install_complete(host({FILE: INSTALL, f"{ROOT}/version.cfg": mixed}))

    assert verdict.status is Status.FAIL
    assert verdict.actual == "8.1.RC1, 8.2.RC1"


def test_the_operator_package_may_be_of_another_release_there(host):
    kernels = CFG + "opp_kernel_running_version=[7.7.0.1.238:8.1.RC1]\n"

    assert cann.install_complete(host({FILE: INSTALL, f"{ROOT}/version.cfg": kernels})).status is Status.PASS


def component(version: str, **packages: str) -> str:
    demands = "".join(f'required_package_{name}_version="{wanted}"\n' for name, wanted in packages.items())
    return f"Version={version}\nversion_dir=8.2.RC1\n{demands}"


@pytest.mark.parametrize(("compiler", "status"), [("8.2.0.1.203", Status.PASS), ("7.7.0.1.238", Status.FAIL)])
def test_a_component_must_be_what_another_asks_for(host, compiler, status):
    parts = {
        f"{ROOT}/runtime/version.info": component("8.2.0.1.203", compiler="8.2"),
        f"{ROOT}/compiler/version.info": component(compiler),
    }

    assert cann.components(host({FILE: INSTALL, **parts})).status is status


def test_a_component_file_that_cannot_be_read_is_no_pass(host):
    parts = {
        f"{ROOT}/runtime/version.info": component("8.2.0.1.203", compiler="8.2"),
        f"{ROOT}/compiler/version.info": "Vers",
    }

    with pytest.raises(Unavailable):
        cann.components(host({FILE: INSTALL, **parts}))


@pytest.mark.parametrize(("interface", "status"), [("7.35.23", Status.PASS), ("3.9.1", Status.FAIL)])
def test_the_driver_must_reach_the_floor_of_the_runtime(host, interface, status):
    runtime = "Version=8.2.0.1.203\nrequired_driver_ascendhal_version=4.0.0\n"
    driver = f"Version=25.2.0\nascendhal_version={interface}\n"

    machine = host({FILE: INSTALL, f"{ROOT}/runtime/version.info": runtime, DRIVER: driver})

    assert cann.driver_floor(machine).status is status


@pytest.mark.parametrize(
    ("noted", "status"), [("/usr/local/Ascend", Status.PASS), ("/data/Ascend", Status.WARN)]
)
def test_the_installers_note_must_lead_to_a_cann(host, noted, status):
    note = f"UserName=root\nInstall_Path_Param={noted}\n"

    assert cann.install_path(host({FILE: INSTALL, SEARCHED[0]: note})).status is status


@pytest.mark.parametrize(
    "function",
    [
        cann.several,
        cann.install_complete,
        cann.components,
        cann.driver_floor,
        cann.install_path,
    ],
)
def test_where_no_cann_is_installed_nothing_of_it_is_judged(host, function):
    assert function(host(absent=SEARCHED)).status is Status.SKIP
