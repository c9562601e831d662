import pytest

from npudoctor.checks import driver_running

NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}
INSIDE = {"systemd-detect-virt": "docker\n"}
VERSION = "/usr/local/Ascend/driver/version.info"
LIST = "/etc/ld.so.conf.d/ascend_driver_so.conf"
LSMOD = "Module                  Size  Used by\n"
TITLE = "| npu-smi {0}   Version: {0}   |\n"


class TestModules:
    @pytest.mark.parametrize("name", ["drv_pcie_host", "drv_vpcie", "asdrv_dms"])
    def test_a_loaded_driver_passes(self, host, judge, name):
        lsmod = LSMOD + f"{name} 438272 2 -\nnf_tables 4096 0\n"

        assert judge(driver_running.modules, host(commands={**NPU, "lsmod": lsmod})).status == "pass"

    def test_no_module_of_the_driver_fails(self, host, judge):
        finding = judge(driver_running.modules, host(commands={**NPU, "lsmod": LSMOD + "nf_tables 4096 0\n"}))

        assert finding.status == "fail"
        assert "dkms status" in finding.fix.commands

    def test_companions_without_the_pcie_module_warn(self, host, judge):
        lsmod = LSMOD + "drv_davinci_intf_host 102400 0\n"

        assert judge(driver_running.modules, host(commands={**NPU, "lsmod": lsmod})).status == "warn"

    @pytest.mark.parametrize("commands", [NO_NPU, {**NPU, **INSIDE}])
    def test_no_npu_or_a_container_has_nothing_to_judge(self, host, judge, commands):
        assert judge(driver_running.modules, host(commands={**commands, "lsmod": LSMOD})).status == "skip"

    def test_a_list_that_nobody_read_is_unknown(self, host, judge):
        assert judge(driver_running.modules, host(commands=NPU)).status == "unknown"


class TestRunningVersion:
    def test_the_same_version_passes(self, host, judge):
        same = host(
            files={VERSION: "Version=24.1.RC2\n"}, commands={"npu-smi info": TITLE.format("24.1.rc2")}
        )

        assert judge(driver_running.running_version, same).status == "pass"

    def test_the_package_number_counts_too(self, host, judge):
        files = {VERSION: "Version=22.0.4\npackage_version=6.0.0\n"}

        found = judge(
            driver_running.running_version,
            host(files=files, commands={"npu-smi info": TITLE.format("6.0.0")}),
        )

        assert found.status == "pass"

    def test_an_upgrade_without_a_reboot_fails_and_asks_for_one(self, host, judge):
        upgraded = host(
            files={VERSION: "Version=25.2.0\n"}, commands={"npu-smi info": TITLE.format("24.1.0")}
        )

        finding = judge(driver_running.running_version, upgraded)

        assert finding.status == "fail"
        assert finding.action == "reboot"
        assert finding.actual == "24.1.0 runs, 25.2.0 is on disk"

    def test_one_side_alone_is_unknown(self, host, judge):
        assert (
            judge(driver_running.running_version, host(files={VERSION: "Version=25.2.0\n"})).status
            == "unknown"
        )


class TestLibraryPath:
    def test_the_installers_list_passes(self, host, judge):
        files = {LIST: "/usr/local/Ascend/driver/lib64/common\n/usr/local/Ascend/driver/lib64/driver\n"}

        assert judge(driver_running.library_path, host(files=files, commands=NPU)).status == "pass"

    def test_the_variable_passes_without_the_list(self, host, judge):
        variable = "LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64/driver/:/usr/lib\n"

        found = judge(driver_running.library_path, host(commands=NPU, environment=variable, absent=[LIST]))

        assert found.status == "pass"

    def test_neither_warns(self, host, judge):
        found = judge(driver_running.library_path, host(commands=NPU, environment="A=1\n", absent=[LIST]))

        assert found.status == "warn"
        assert found.fix.commands[0].endswith(f"| sudo tee {LIST} && sudo ldconfig")

    def test_a_list_without_the_drivers_folders_warns(self, host, judge):
        found = judge(
            driver_running.library_path, host(files={LIST: "/opt/lib\n"}, commands=NPU, environment="A=1\n")
        )

        assert found.status == "warn"

    def test_a_library_that_npu_smi_cannot_load_fails(self, host, judge):
        line = "npu-smi: error while loading shared libraries: libdrvdsmi_host.so: cannot open"

        found = judge(driver_running.library_path, host(commands={**NPU, "npu-smi info": line}))

        assert found.status == "fail"
        assert found.evidence[0].text == line

    def test_nothing_looked_at_is_unknown(self, host, judge):
        assert judge(driver_running.library_path, host(commands=NPU)).status == "unknown"


class TestUdevidConflict:
    LINE = (
        "[  143.900201] [ascend] [uda] [ERROR] [uda_occupy_dev_by_ns 512] "
        "<npu-smi:4411> Conflict open udevid. (udevid=6)"
    )

    def test_a_conflict_warns_and_names_the_device(self, host, judge):
        found = judge(driver_running.udevid_conflict, host(commands={**NPU, "dmesg": self.LINE + "\n"}))

        assert found.status == "warn"
        assert "6" in found.actual
        assert found.evidence[0].text == self.LINE
        assert found.action == "free"

    def test_a_log_without_one_passes(self, host, judge):
        found = judge(
            driver_running.udevid_conflict, host(commands={**NPU, "dmesg": "[ 1.0] Linux version 5.10\n"})
        )

        assert found.status == "pass"

    def test_a_log_that_was_refused_is_unknown(self, host, judge):
        refused = "dmesg: read kernel buffer failed: Operation not permitted\n"

        assert (
            judge(driver_running.udevid_conflict, host(commands={**NPU, "dmesg": refused})).status
            == "unknown"
        )
