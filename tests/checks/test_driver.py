import pytest

from npudoctor.checks import driver

NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}
INSIDE = {"systemd-detect-virt": "docker\n"}
VERSION = "/usr/local/Ascend/driver/version.info"
INSTALL = "/etc/ascend_install.info"
RECORD = "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_Path_Param=/usr/local/Ascend\n"
LISTED = "ls -ld /usr/local/bin/npu-smi /etc/ascend_install.info"
WARNING = "[WARNING]The driver package may not be completely installed, which may cause function abnormal."


class TestInstalled:
    def test_a_driver_on_disk_passes(self, host, judge):
        finding = judge(driver.installed, host(files={VERSION: "Version=24.1.0\n"}, commands=NPU))

        assert (finding.status, finding.actual) == ("pass", "24.1.0")

    def test_an_npu_on_pci_without_a_driver_fails(self, host, judge):
        finding = judge(driver.installed, host(commands=NPU, absent=[VERSION]))

        assert finding.status == "fail"
        assert "d802" in finding.evidence[0].text
        assert finding.action == "reinstall"

    def test_where_nobody_looked_for_npus_a_missing_driver_is_unknown(self, host, judge):
        assert judge(driver.installed, host(absent=[VERSION])).status == "unknown"

    def test_a_machine_without_an_npu_needs_none(self, host, judge):
        assert judge(driver.installed, host(commands=NO_NPU, absent=[VERSION])).status == "skip"

    def test_a_container_takes_it_from_its_host(self, host, judge):
        assert judge(driver.installed, host(commands={**NPU, **INSIDE}, absent=[VERSION])).status == "skip"

    def test_a_file_that_nobody_looked_for_is_unknown(self, host, judge):
        assert judge(driver.installed, host(commands=NPU)).status == "unknown"


class TestInstallComplete:
    def test_complete_passes(self, host, judge):
        record = RECORD + "Driver_Install_Status=complete\n"

        assert judge(driver.install_complete, host(files={INSTALL: record})).status == "pass"

    def test_a_driver_that_never_wrote_the_line_passes_without_it(self, host, judge):
        old = host(files={INSTALL: RECORD, VERSION: "Version=22.0.4\n"})

        assert judge(driver.install_complete, old).status == "pass"

    def test_a_new_driver_without_the_line_warns(self, host, judge):
        new = host(files={INSTALL: RECORD, VERSION: "Version=25.2.0\n"})

        assert judge(driver.install_complete, new).status == "warn"

    def test_the_warning_of_npu_smi_fails(self, host, judge):
        finding = judge(
            driver.install_complete, host(files={INSTALL: RECORD}, commands={"npu-smi info": WARNING})
        )

        assert finding.status == "fail"
        assert finding.evidence[0].text == WARNING

    def test_another_status_fails(self, host, judge):
        record = RECORD + "Driver_Install_Status=installing\n"

        assert judge(driver.install_complete, host(files={INSTALL: record})).status == "fail"

    def test_a_folder_in_the_place_of_the_record_fails(self, host, judge):
        folder = "drwxr-xr-x 2 root root 4096 Mar  3 09:12 /etc/ascend_install.info\n"

        finding = judge(driver.install_complete, host(commands={LISTED: folder}))

        assert finding.status == "fail"
        assert finding.fix.commands[0] == "rmdir /etc/ascend_install.info"

    def test_a_driver_without_any_record_warns(self, host, judge):
        finding = judge(driver.install_complete, host(files={VERSION: "Version=24.1.0\n"}, absent=[INSTALL]))

        assert finding.status == "warn"

    def test_no_driver_and_no_record_is_nothing_to_judge(self, host, judge):
        assert judge(driver.install_complete, host(absent=[VERSION, INSTALL])).status == "skip"

    def test_a_record_that_nobody_read_is_unknown(self, host, judge):
        assert judge(driver.install_complete, host()).status == "unknown"


class TestInstallPath:
    def test_a_driver_at_the_recorded_path_passes(self, host, judge):
        files = {INSTALL: RECORD, VERSION: "Version=24.1.0\n"}

        finding = judge(driver.install_path, host(files=files))

        assert (finding.status, finding.actual) == ("pass", "/usr/local/Ascend: 24.1.0")

    def test_a_record_that_points_to_nothing_fails(self, host, judge):
        moved = RECORD.replace("/usr/local/Ascend", "/opt/Ascend")

        finding = judge(
            driver.install_path,
            host(
                files={INSTALL: moved, VERSION: "Version=24.1.0\n"},
                absent=["/opt/Ascend/driver/version.info"],
            ),
        )

        assert finding.status == "fail"
        assert "/opt/Ascend/driver/version.info" in finding.actual

    def test_without_a_record_there_is_nothing_to_judge(self, host, judge):
        assert judge(driver.install_path, host(absent=[INSTALL])).status == "skip"


class TestOldPackage:
    @pytest.mark.parametrize(("there", "status"), [(True, "warn"), (False, "pass")])
    def test_the_file_of_the_first_packages_warns(self, host, judge, there, status):
        path = "/etc/HiAI_install.info"
        files, absent = ({path: "x\n"}, []) if there else ({}, [path])

        assert judge(driver.old_package, host(files=files, commands=NPU, absent=absent)).status == status
