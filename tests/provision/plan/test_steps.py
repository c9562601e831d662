"""What differs becomes steps, in the order and with the ways back that the components have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npudoctor.provision.planned import Outcome, Reboot, Undo
from tests.provision.plan.hosts import (
    CANN,
    DRIVER,
    FIRMWARE,
    OPS,
    RUNTIME,
    Shelf,
    bare,
    keys,
    names,
    older,
    plan,
)


def step(host, component):
    return next(step for step in host.steps if step.component == component)


def test_a_host_that_is_right_already_has_nothing_to_do():
    host = plan()
    assert (host.outcome, host.steps, host.blockers) == (Outcome.CONVERGED, (), ())
    assert host.before["driver"] == "25.5.0"


def test_a_first_install_lays_down_the_driver_before_the_firmware():
    host = plan(make=bare)
    assert names(host)[:2] == ["driver", "firmware"]
    assert {step.action for step in host.steps} == {"install"}


def test_an_upgrade_brings_the_firmware_before_the_driver():
    host = plan(make=older)
    assert names(host) == ["firmware", "driver"]
    assert [(one.changes[0].before, one.changes[0].after) for one in host.steps] == [
        ("7.7.0.2.220", "7.8.0.5.216"),
        ("25.2.0", "25.5.0"),
    ]


def test_firmware_that_was_never_there_comes_after_a_driver_that_is_upgraded():
    host = plan(make=lambda found: older(found, firmware="NA"), absent=[FIRMWARE])
    assert names(host)[:2] == ["driver", "firmware"]


def test_a_newer_driver_is_taken_back_to_the_stack_s():
    host = plan(make=lambda found: older(found, driver="26.0.0", firmware="7.8.0.5.216"))
    assert step(host, "driver").action == "downgrade"


def test_all_that_wants_a_reboot_shares_one():
    host = plan(make=older)
    assert host.reboot is Reboot.YES
    assert host.minutes == sum(one.minutes for one in host.steps) + 8


def test_the_way_back_is_whole_where_the_packages_of_now_are_at_hand():
    assert {step.undo for step in plan(make=older).steps} == {Undo.FULL}


def test_without_the_packages_of_now_there_is_no_way_back_and_that_blocks():
    host = plan(make=older, call={"shelf": Shelf(missing=["25.2.0"])})
    assert step(host, "driver").undo is Undo.FORWARD
    assert step(host, "driver").previous == ()
    assert keys(host) == ["undo-impossible"]
    assert "Ascend-hdk-910b-npu-driver_25.2.0_linux-aarch64.run" in host.blockers[0].message
    assert "store build --plan plan.json" in host.blockers[0].fix.commands[1]


def test_a_first_firmware_cannot_be_taken_out_of_flash_and_that_blocks_nothing():
    host = plan(make=bare)
    assert step(host, "firmware").undo is Undo.FORWARD
    assert "undo-impossible" not in keys(host)


def test_a_driver_that_was_laid_down_and_not_started_only_wants_its_reboot():
    host = plan(make=lambda found: older(found, driver="25.2.0", firmware="7.8.0.5.216"), files={})
    assert names(host) == ["driver"]
    disk = "Version=25.5.0\n"
    host = plan(make=lambda found: _with_disk(older(found, firmware="7.8.0.5.216"), disk))
    assert [(one.action, one.reboot) for one in host.steps] == [("reboot", Reboot.YES)]
    assert host.steps[0].changes[0].what == "driver.running"


def test_firmware_that_was_laid_down_over_the_wanted_one_is_laid_down_anew_before_a_boot_starts_it():
    host = plan(make=lambda found: _with_disk(found, "Version=7.7.0.2.220\n", FIRMWARE))
    assert [(one.component, one.action) for one in host.steps] == [("firmware", "upgrade")]


def _with_disk(found, text, file=DRIVER):
    path = "files" + file
    return replace(found, entries={**found.entries, path: replace(found.entries[path], stdout=text.encode())})


def test_a_driver_that_was_just_laid_down_is_not_laid_down_again():
    def fresh(found):
        without = bare(found)
        kept = {path: found.entries[path] for path in ("files" + DRIVER, "files/etc/ascend_install.info")}
        return replace(without, entries={**without.entries, **kept})

    host = plan(make=fresh, call={"only": ["driver"]}, commands={"lsmod": "Module Size Used by\n"})
    assert [(one.component, one.action) for one in host.steps] == [("driver", "reboot")]


def test_an_installer_that_was_cut_off_is_run_again():
    record = (
        "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_Type=full\n"
        "Driver_Install_Path_Param=/usr/local/Ascend\nDriver_Install_Status=failed\n"
    )
    host = plan(files={"/etc/ascend_install.info": record})
    assert [(one.component, one.action) for one in host.steps] == [("driver", "repair")]


def test_a_version_that_cannot_be_read_is_never_equal():
    host = plan(files={OPS: "package_name=Ascend-cann-910b-ops\n"})
    assert [(one.component, one.action) for one in host.steps] == [("ops", "repair")]
    assert keys(host) == ["unreadable"]


@pytest.mark.parametrize(
    ("files", "component", "change"),
    [
        ({RUNTIME: "version=v7.1.RC1\n"}, "ascend_runtime", ("ascend_runtime", "7.1.RC1", "7.3.0")),
        ({"/etc/docker/daemon.json": "{}"}, "ascend_runtime", ("ascend_runtime.registered", "", "ascend")),
        (
            {"/etc/npudoctor/ascend.env": "ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.3.RC2\n"},
            "environment",
            ("environment.services", "8.3.RC2", "8.5.0"),
        ),
        (
            {"/sys/module/pcie_aspm/parameters/policy": "[default] performance powersave powersupersave\n"},
            "host_tuning",
            None,
        ),
    ],
)
def test_only_what_differs_is_a_step(files, component, change):
    host = plan(files=files)
    assert names(host) == [component]
    if change:
        told = host.steps[0].changes[0]
        assert (told.what, told.before, told.after) == change


def test_a_setting_that_is_skipped_is_left_alone():
    files = {"/sys/module/pcie_aspm/parameters/policy": "[default] performance\n"}
    assert names(plan(files=files, call={"skip": ["host_tuning.aspm"]})) == []


def test_only_and_skip_choose_components():
    assert names(plan(make=older, call={"only": ["driver"]})) == ["driver"]
    assert names(plan(make=older, call={"skip": ["driver"]})) == ["firmware"]


def test_of_nnal_side_by_side_the_one_that_latest_leads_to_counts():
    folder = "/usr/local/Ascend/nnal/atb"
    both = {f"{folder}/8.3.RC1/version.info": "    Ascend-cann-atb : 8.3.RC1\n"}
    listing = "drwxr-xr-x 5 root root 4096 Nov 12 08:31 {0}\n"
    rows = "total 8\n" + "".join(listing.format(name) for name in ("8.3.RC1", "8.5.0"))
    link = "lrwxrwxrwx 1 root root 5 Nov 12 08:31 latest -> {0}\n"
    assert plan(files=both, commands={f"ls -l {folder}": rows + link.format("8.5.0")}).steps == ()
    host = plan(files=both, commands={f"ls -l {folder}": rows + link.format("8.3.RC1")})
    assert [change.before for change in step(host, "nnal").changes] == ["8.3.RC1"]


def test_kernels_without_an_install_file_have_the_version_of_their_component():
    kernels = f"{CANN}/opp_kernel/version.info"
    silent = {OPS: "package_name=Ascend-cann-toolkit\n"}
    said = {kernels: "Version=7.8.0.1.238\nversion_dir=8.3.RC1\n"}
    host = plan(files={**silent, **said})
    assert [change.before for change in step(host, "ops").changes] == ["8.3.RC1"]
