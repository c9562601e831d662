import json

import pytest

from npudoctor.checks import container_mounts

ROOT = "/usr/local/Ascend"
NODES = ["/dev/davinci0", "/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"]
PATHS = (
    f"{ROOT}/driver/lib64",
    f"{ROOT}/driver/version.info",
    "/usr/local/dcmi",
    "/usr/local/bin/npu-smi",
    "/etc/ascend_install.info",
)
NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
INSIDE = {**NPU, "systemd-detect-virt": "docker\n"}
LISTED = "ls -ld /usr/local/bin/npu-smi /etc/ascend_install.info"
OTHERS = "".join(
    f"-r--r--r-- 1 root root 300 Mar  3 09:12 {path}\n"
    for path in ("/usr/local/Ascend/driver/version.info", "/etc/ascend_install.info")
)
FOLDER = "drwxr-xr-x 2 root root 4096 Mar  3 09:12 /usr/local/bin/npu-smi\n"
FILE = "-r-xr-x--- 1 root root 8192 Mar  3 09:12 /usr/local/bin/npu-smi\n"


def inspected(*containers):
    return {f"docker inspect {one['Name'][1:]}": json.dumps([one]) for one in containers}


def mounting(described, paths, **more):
    return inspected(described(devices=NODES, mounts=[(path, path) for path in paths], **more))


class TestDriverMounts:
    def test_all_files_of_the_driver_pass(self, host, judge, described):
        found = judge(container_mounts.driver_mounts, host(commands=mounting(described, PATHS)))

        assert found.status == "pass"

    def test_folders_above_them_pass_too(self, host, judge, described):
        paths = (f"{ROOT}/driver", "/usr/local/dcmi", "/usr/local/sbin/", "/etc/ascend_install.info")

        assert (
            judge(container_mounts.driver_mounts, host(commands=mounting(described, paths))).status == "pass"
        )

    def test_no_libraries_of_the_driver_fail(self, host, judge, described):
        found = judge(container_mounts.driver_mounts, host(commands=mounting(described, PATHS[2:])))

        assert (found.status, found.actual) == ("fail", "serve: the driver is not mounted")

    @pytest.mark.parametrize("missing", PATHS[1:])
    def test_a_tool_or_record_that_is_missing_warns(self, host, judge, described, missing):
        paths = [path for path in PATHS if path != missing]

        found = judge(container_mounts.driver_mounts, host(commands=mounting(described, paths)))

        assert found.status == "warn"
        assert missing.rpartition("/")[2] in found.actual

    def test_the_whole_ascend_folder_hides_the_cann_of_the_image(self, host, judge, described):
        found = judge(container_mounts.driver_mounts, host(commands=mounting(described, [ROOT])))

        assert (found.status, found.actual) == ("warn", f"serve: mounts the whole {ROOT}")

    def test_the_ascend_runtime_mounts_the_driver_unless_it_is_told_not_to(self, host, judge, described):
        wanted, told = "ASCEND_VISIBLE_DEVICES=0", "ASCEND_RUNTIME_OPTIONS=NODRV"
        runtime = inspected(described(host={"Runtime": "ascend"}, env=[wanted]))
        without = inspected(described(host={"Runtime": "ascend"}, env=[wanted, told]))

        assert judge(container_mounts.driver_mounts, host(commands=runtime)).status == "pass"
        assert judge(container_mounts.driver_mounts, host(commands=without)).status == "fail"

    def test_from_within_the_driver_has_to_be_there(self, host, judge):
        version, install = f"{ROOT}/driver/version.info", "/etc/ascend_install.info"
        there = host(
            files={version: "Version=24.1.0\n", install: "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\n"},
            commands=INSIDE,
        )

        assert judge(container_mounts.driver_mounts, there).status == "pass"
        missing = host(commands=INSIDE, absent=[version, install])
        assert judge(container_mounts.driver_mounts, missing).status == "fail"


class TestMountSources:
    def test_files_pass(self, host, judge, described):
        commands = {**mounting(described, PATHS), LISTED: FILE + OTHERS}

        assert judge(container_mounts.mount_sources, host(commands=commands)).status == "pass"

    def test_a_folder_that_docker_made_fails_with_the_command_that_removes_it(self, host, judge, described):
        found = judge(
            container_mounts.mount_sources, host(commands={**mounting(described, PATHS), LISTED: FOLDER})
        )

        assert found.status == "fail"
        assert found.actual == "serve: /usr/local/bin/npu-smi is a folder"
        assert found.fix.commands == ("rmdir /usr/local/bin/npu-smi",)

    def test_a_source_that_is_gone_warns_of_the_next_start(self, host, judge, described):
        gone = "ls: cannot access '/usr/local/bin/npu-smi': No such file or directory\n"

        found = judge(
            container_mounts.mount_sources, host(commands={**mounting(described, PATHS), LISTED: gone})
        )

        assert found.status == "warn"

    def test_a_folder_is_found_without_a_container_that_still_mounts_it(self, host, judge):
        commands = {**NPU, LISTED: FOLDER, "docker info": " Server Version: 24.0.7\n", "docker inspect": ""}

        assert judge(container_mounts.mount_sources, host(commands=commands)).status == "fail"

    def test_nothing_listed_is_unknown(self, host, judge, described):
        assert (
            judge(container_mounts.mount_sources, host(commands=mounting(described, PATHS))).status
            == "unknown"
        )
