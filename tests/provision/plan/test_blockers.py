"""What is in the way: each key where it must be, and not where it must not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from npudoctor.data import load
from npudoctor.provision.plan import blockers
from npudoctor.provision.plan.answers import Answer, Answers
from npudoctor.provision.plan.blockers import answerable
from npudoctor.provision.plan.blockers import keys as all_keys
from npudoctor.provision.plan.blocking.case import OF
from npudoctor.provision.plan.controller import controller_of, core_for
from npudoctor.provision.plan.survey import Surveyed
from npudoctor.provision.planned import Outcome
from tests.provision.plan.hosts import (
    DRIVER,
    KERNEL,
    UPGRADE_TOOL,
    Shelf,
    bare,
    keys,
    older,
    plan,
    planner,
    seen,
)

FULL = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda2 1000000 900000 100000 90% /\n"
LEASE = "/var/lib/npudoctor/lease"


def upgraded(**other):
    return plan(make=older, **other)


def message(host, key):
    return next(one.message for one in host.blockers if one.key == key)


def test_nothing_is_in_the_way_of_an_upgrade_of_a_well_kept_host():
    assert keys(upgraded()) == []


def test_nothing_is_in_the_way_where_nothing_is_done():
    host = plan(commands={"ls /proc/fd davinci": "41 python3 /dev/davinci0\n"})
    assert (host.outcome, host.blockers) == (Outcome.CONVERGED, ())


def test_a_process_on_an_npu_is_named():
    host = upgraded(
        commands={"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n812 tmux: server /dev/davinci1\n"}
    )
    assert keys(host) == ["npu-in-use"]
    assert (
        message(host, "npu-in-use") == "NPUs are in use by process tmux: server (812), process python3 (4711)"
    )


def test_the_survey_s_own_tools_use_no_npu():
    held = "77 npu-smi /dev/davinci_manager\n78 hccn_tool /dev/davinci0\n"
    assert keys(upgraded(commands={"ls /proc/fd davinci": held})) == []


def test_work_on_npus_is_no_blocker_where_a_scheduler_takes_it_off():
    held = {"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"}
    assert keys(upgraded(commands=held, call={"drained": True})) == []


def test_work_on_npus_goes_on_beside_what_needs_no_reboot():
    held = {"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"}
    host = plan(commands=held, files={"/etc/npudoctor/ascend.env": "A=/usr/local/Ascend/cann-8.3.RC2\n"})
    assert keys(host) == []


def test_headers_of_the_running_and_of_the_next_kernel():
    wrong = "/lib/modules/5.10.0-182.0.0.95.oe2203sp3.aarch64/build/Makefile\n"
    host = upgraded(commands={"ls -d /lib/modules/*/build/Makefile": wrong})
    assert keys(host) == ["kernel-headers"]
    assert KERNEL in message(host, "kernel-headers")
    newer = "5.10.0-230.0.0.130.oe2203sp4.aarch64"
    host = upgraded(commands={"ls /boot": f"vmlinuz-{KERNEL}\nvmlinuz-{newer}\n"})
    assert f"the headers of kernel {newer} are missing (the next boot starts it)" in message(
        host, "kernel-headers"
    )
    assert host.blockers[0].fix.commands == (f"dnf install -y kernel-devel-{newer} kernel-headers-{newer}",)


def test_the_next_kernel_is_what_the_boot_loader_was_told():
    newer = "5.10.0-230.0.0.130.oe2203sp4.aarch64"
    boot = {"ls /boot": f"vmlinuz-{KERNEL}\nvmlinuz-{newer}\n"}
    assert keys(upgraded(commands=boot | {"grubby --default-kernel": f"/boot/vmlinuz-{KERNEL}\n"})) == []


@pytest.mark.parametrize(
    ("base", "driver", "expected"),
    [
        ('{"device_id":0, "driver":235, "firmware":0}', "25.5.0", []),
        ('{"device_id":0, "driver":0, "firmware":0}', "25.2.0", []),
        ('{"device_id":0, "driver":238, "firmware":0}', "25.2.0", []),
        ('{"device_id":0, "driver":239, "firmware":0}', "25.2.0", ["anti-rollback"]),
        ('{"device_id":0, "driver":235}\n{"device_id":1, "driver":240}', "25.2.0", ["anti-rollback"]),
        ('{"device_id":0, "driver":crc_error}', "25.2.0", ["flash-damaged"]),
        ("Unknown argument", "25.2.0", ["anti-rollback-unknown"]),
        ('{"device_id":0, "driver":999}', "25.2.0", ["anti-rollback-unknown"]),
        ("Unknown argument", "26.0.0", []),
    ],
)
def test_npus_refuse_drivers_below_their_base_version(base, driver, expected):
    stack = "a2-cann8.2.rc1-vllm0.9.1"  # driver 25.2.0
    before = "26.0.0" if driver == "25.2.0" else "24.1.0"
    made = plan(
        stack, call={"only": ["driver"]}, commands={UPGRADE_TOOL: base},
        make=lambda found: older(found, driver=before, firmware="7.8.0.5.216"),
    )  # fmt: skip
    assert keys(made) == expected


def test_the_installed_driver_s_own_list_counts_before_ours():
    files = {"/usr/local/Ascend/driver/script/version_cap.map": "235,27.0.0\n"}
    host = upgraded(files=files)
    assert message(host, "anti-rollback").endswith("the least is 27.0.0")


def test_secure_boot_blocks_where_modules_are_built():
    assert keys(upgraded(commands={"mokutil --sb-state": "SecureBoot enabled\n"})) == ["secure-boot"]


def test_a_disk_without_room_names_what_for():
    host = upgraded(commands={"df -Pk": FULL})
    assert keys(host) == ["no-space"]
    assert message(host, "no-space").startswith("/ has 102 MB free, 1.1 GB are needed there (packages 400 MB")


def test_packages_that_are_not_there_or_not_whole():
    host = upgraded(call={"shelf": Shelf(missing=["driver_25.5.0"], damaged=["firmware_7.8"])})
    assert keys(host) == ["package-missing", "package-damaged"]
    assert "Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run" in message(host, "package-missing")


def test_missing_wheels_block_in_one_line_unless_the_inventory_names_where_hosts_take_them_from():
    stack, lacks = "a2-cann8.5.0-torch2.7.1", {"shelf": Shelf(missing=["torch"])}
    host = plan(stack, call=lacks)
    assert keys(host) == ["package-missing"]
    assert message(host, "package-missing").startswith("torch-2.7.1*-cp311-cp311-*aarch64.whl, torch_npu-")
    named = replace(seen(), wheels="http://index.example/simple")
    assert keys(planner(stack, **lacks).host(named)) == []


def test_hosts_without_a_python_for_this_ansible():
    assert keys(upgraded(call={"controller": controller_of("2.20.1")})) == []
    host = plan(make=_python("3.7.9"), call={"controller": controller_of("2.19.4")})
    assert keys(host) == ["python-too-old"]
    assert host.blockers[0].fix.commands == ("pip install 'ansible-core~=2.17'   # here",)
    assert plan(make=_python("3.7.9")).interpreter == "/usr/bin/python3"


def test_a_host_without_python_is_told_so_in_one_blocker():
    (told,) = plan(make=without_python).blockers
    assert (told.key, told.message) == ("no-python", "it has no Python: Ansible cannot work there")


def without_python(found):
    aged = older(found)
    nothing = replace(aged.entries["python-packages"], stdout=b"# none\n")
    return replace(aged, entries={**aged.entries, "python-packages": nothing})


@pytest.mark.parametrize(
    ("there", "blocked"),
    [(-400, True), (-290, False), (0, False), (290, False), (400, True), (-(10**9), True)],
)
def test_a_clock_that_is_minutes_off_blocks_and_one_that_nobody_compared_does_not(there, blocked):
    ours = 1795994000
    told = {"npudoctor clock": f"{ours}.1 {ours + 4}.2 0123456789ab\n", "date +%s": f"{ours + 2 + there}\n"}
    host = upgraded(commands=told)
    assert keys(host) == (["clock-off"] if blocked else [])
    assert keys(upgraded(commands={"date +%s": "86400\n"})) == []


def test_a_clock_that_is_off_is_told_with_both_times():
    told = {"npudoctor clock": "1795994000.0 1795994004.0 0123456789ab\n", "date +%s": "86400\n"}
    (found,) = upgraded(commands=told).blockers
    assert found.message == "its clock says 1970-01-02 00:00, that of this machine 2026-11-29 23:13 (UTC)"


def _python(version):
    from dataclasses import replace

    def make(found):
        aged = older(found)
        packages = aged.entries["python-packages"]
        text = packages.stdout.replace(b"3.9.9", version.encode()).replace(b"3.11.13", version.encode())
        return replace(aged, entries={**aged.entries, "python-packages": replace(packages, stdout=text)})

    return make


def test_core_for_an_old_python():
    assert [core_for(python) for python in ("3.7", "3.8.10", "3.11")] == ["2.17", "2.19", "2.21"]


def test_another_chip_another_architecture_and_nobody_s_npu():
    assert keys(plan("a3-cann8.5.0-vllm0.13.0"))[:1] == ["wrong-chip"]
    host = upgraded(commands={"uname -a": "Linux node1 5.10.0 #1 SMP riscv64 GNU/Linux\n"})
    assert "unsupported-arch" in keys(host)
    host = plan(make=bare, commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:1237]\n"})
    assert "no-npu" in keys(host)


def test_firmware_belongs_to_the_machine_around_a_virtual_one():
    commands = {"systemd-detect-virt": "kvm\n"}
    assert keys(upgraded(commands=commands)) == ["vm"]
    assert keys(upgraded(commands=commands, call={"skip": ["firmware"]})) == []


def test_whoever_is_not_root_may_not_change_a_host():
    host = upgraded(commands={"id": "uid=1000(ops) gid=1000(ops) groups=1000(ops)\n"})
    assert "not-root" in keys(host)


def test_a_lease_of_another_controller_blocks_until_it_is_over():
    lease = {"run": "r1", "host": "control2", "until": 1795000060.0, "fence": 3}
    host = upgraded(files={LEASE: json.dumps(lease)})
    assert message(host, "foreign-lease") == "run r1 on control2 is changing it (for 60 s more)"
    assert keys(upgraded(files={LEASE: json.dumps(lease | {"until": 1794999999.0})})) == []
    assert keys(upgraded(files={LEASE: json.dumps(lease)}, call={"run": "r1"})) == []


def test_a_record_that_cannot_be_read_is_a_person_s_to_look_at():
    assert "record-damaged" in keys(upgraded(files={"/var/lib/npudoctor/record.json": "{"}))


def test_a_driver_that_was_laid_down_by_somebody_else_waits_for_its_reboot():
    host = plan(files={DRIVER: "Version=25.2.0\n"})
    assert keys(host) == ["pending-reboot"]


def test_firmware_of_generation_11_needs_an_older_driver_first():
    host = plan(make=lambda found: older(found, driver="22.0.4", firmware="1.11.5.1"))
    assert "needs-older-driver-first" in keys(host)


def test_running_containers_keep_docker_from_a_restart():
    files = {"/usr/local/Ascend/Ascend-Docker-Runtime/ascend_docker_runtime_install.info": "version=v6.0.0\n"}
    commands = {"docker ps names": "serve\n"}
    assert keys(plan(files=files, commands=commands)) == ["docker-restart"]
    assert keys(plan(files=files, commands=commands, call={"restart_docker": True})) == []
    live = {"/etc/docker/daemon.json": '{"runtimes": {"ascend": {"path": "/x"}}, "live-restore": true}'}
    assert keys(plan(files=files | live, commands=commands)) == []


NO_DOCKER = ("docker version server",)
NO_MATCH = "Error: No matching Packages to list\n"


def without_docker(said, exit_code=0, **more):
    """Blockers of the right host without an engine, whose package manager says that."""

    def make(found):
        entry = found.entries["commands/offers_of_docker"]
        return replace(found, entries={**found.entries, entry.path: replace(entry, exit_code=exit_code)})

    return plan(commands={"offers of docker": said}, absent=NO_DOCKER, make=make, **more)


@pytest.mark.parametrize(
    ("said", "exit_code"),
    [
        (" docker.io | 24.0.7-0ubuntu2~22.04.1 | http://mirror/ubuntu jammy/universe arm64 Packages\n", 0),
        ("Available Packages\ndocker-engine.aarch64    18.09.0-118.oe1    OS\n", 0),
        ("dockerd | installed\n", 0),
    ],
)
def test_docker_is_installed_where_a_repository_offers_it_or_it_is_only_stopped(said, exit_code):
    assert keys(without_docker(said, exit_code)) == []


@pytest.mark.parametrize(
    ("said", "exit_code", "why"),
    [
        ("", 0, "no repository that it knows has docker-ce"),
        ("docker-doc.noarch 1.0 OS\n", 0, "no repository that it knows has docker-ce"),
        (NO_MATCH, 1, "no repository that it knows has docker-ce"),
        ("no package manager\n", 0, "no repository that it knows has docker-ce"),
        ("Error: Cache-only enabled but no cache for 'OS'\n", 1, "Cache-only enabled but no cache for 'OS'"),
    ],
)
def test_docker_that_no_repository_has_or_that_nobody_can_tell_of_is_foreseen(said, exit_code, why):
    host = without_docker(said, exit_code)
    assert keys(host) == ["no-docker-package"]
    assert why in message(host, "no-docker-package")
    assert host.blockers[0].fix.commands[0] == "dnf install -y docker-engine"


def test_docker_needs_no_repository_where_it_is_left_out_or_the_inventory_gives_packages():
    assert keys(without_docker("", call={"skip": ["docker", "ascend_runtime"]})) == []
    bare_of_it = seen(commands={"offers of docker": ""}, absent=NO_DOCKER)
    assert keys(planner().host(bare_of_it)) == ["no-docker-package"]
    assert keys(planner().host(replace(bare_of_it, docker='{"docker_names": ["isulad"]}'))) == []


def test_an_answer_lets_a_host_be_changed_and_only_that_host():
    held = {"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"}
    answers = Answers((Answer("npu-in-use", "node1", "the job is mine"),))
    host = upgraded(commands=held, call={"answers": answers})
    assert (host.outcome, host.accepted, host.blockers) == (Outcome.CHANGE, ("npu-in-use",), ())
    other = Answers((Answer("npu-in-use", "node2", ""),))
    assert keys(upgraded(commands=held, call={"answers": other})) == ["npu-in-use"]


def test_nobody_may_answer_what_would_break():
    answers = Answers((Answer("no-space", "*", ""),))
    assert keys(upgraded(commands={"df -Pk": FULL}, call={"answers": answers})) == ["no-space"]


def test_a_host_that_cannot_be_read_says_why():
    host = planner().host(Surveyed("node9", error="no route to host"))
    assert (host.outcome, host.why) == (Outcome.NOT_REACHED, "no route to host")
    assert keys(host) == ["unreachable"]


def test_every_key_has_a_function_and_sources_that_are_named():
    elsewhere = {"unreachable", "no-record", "no-way-back"}  # hosts without facts, and hosts that go back
    assert set(OF) | elsewhere == set(all_keys())
    content = load(Path(blockers.__file__).with_suffix(".yaml")).content
    assert {source for row in content["blockers"] for source in row["sources"]} == set(content["sources"])


def test_what_may_be_answered_says_what_happens_then():
    assert all(blockers.consequence(key) for key in answerable())
    assert not blockers.consequence("no-space")
