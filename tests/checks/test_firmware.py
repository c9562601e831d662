import pytest

from npudoctor.checks import firmware

NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
INSIDE = {"systemd-detect-virt": "docker\n"}
IN_VM = {"systemd-detect-virt": "kvm\n"}
FIRMWARE = "/usr/local/Ascend/firmware/version.info"


def board(npu, version="7.5.0.3.220", compatibility="OK", product="IT21X"):
    return {
        f"npu-smi info -t board -i {npu}": (
            f"        NPU ID                         : {npu}\n"
            f"        Product Name                   : {product}\n"
            f"        Firmware Version               : {version}\n"
            f"        Compatibility                  : {compatibility}\n"
        )
    }


class TestInstalled:
    def test_a_package_passes(self, host, judge):
        found = judge(firmware.installed, host(files={FIRMWARE: "Version=7.5.0.3.220\n"}, commands=NPU))

        assert (found.status, found.actual) == ("pass", "7.5.0.3.220")

    def test_no_package_warns(self, host, judge):
        assert judge(firmware.installed, host(commands=NPU, absent=[FIRMWARE])).status == "warn"

    @pytest.mark.parametrize("place", [INSIDE, IN_VM])
    def test_a_container_and_a_virtual_machine_have_none(self, host, judge, place):
        assert judge(firmware.installed, host(commands={**NPU, **place}, absent=[FIRMWARE])).status == "skip"


class TestRunningVersion:
    def test_the_same_on_every_npu_passes(self, host, judge):
        files = {FIRMWARE: "Version=7.5.0.3.220\n"}

        assert (
            judge(firmware.running_version, host(files=files, commands={**board(0), **board(1)})).status
            == "pass"
        )

    def test_an_npu_with_another_one_fails_and_is_named(self, host, judge):
        files = {FIRMWARE: "Version=7.5.0.3.220\n"}
        commands = {**board(0), **board(3, "7.1.0.11.220")}

        found = judge(firmware.running_version, host(files=files, commands=commands))

        assert found.status == "fail"
        assert found.actual == "NPU 3: 7.1.0.11.220; 7.5.0.3.220 is on disk"
        assert found.evidence[0].source == "npu-smi info -t board -i 3"
        assert found.action == "reboot"

    def test_one_side_alone_is_unknown(self, host, judge):
        assert judge(firmware.running_version, host(commands=board(0))).status == "unknown"

    def test_boards_that_nobody_asked_are_unknown(self, host, judge):
        files = {FIRMWARE: "Version=7.5.0.3.220\n"}

        assert judge(firmware.running_version, host(files=files, commands=NPU)).status == "unknown"

    def test_a_board_that_did_not_answer_is_unknown(self, host, judge):
        files = {FIRMWARE: "Version=7.5.0.3.220\n"}
        commands = {**board(0), "npu-smi info -t board -i 1": "Invalid card id.\n"}

        assert judge(firmware.running_version, host(files=files, commands=commands)).status == "unknown"

    def test_boards_without_the_line_are_unknown(self, host, judge):
        files = {FIRMWARE: "Version=7.5.0.3.220\n"}

        assert judge(firmware.running_version, host(files=files, commands=board(0, "NA"))).status == "unknown"


class TestSameOnAll:
    def test_one_version_passes(self, host, judge):
        assert judge(firmware.same_on_all, host(commands={**board(0), **board(1)})).status == "pass"

    def test_two_versions_of_one_product_warn(self, host, judge):
        found = judge(firmware.same_on_all, host(commands={**board(0), **board(1, "7.1.0.11.220")}))

        assert found.status == "warn"
        assert "7.1.0.11.220: NPU 1" in found.actual

    def test_other_products_may_have_other_lines(self, host, judge):
        commands = {**board(0), **board(1, "7.1.0.4.218", product="IT22Y")}

        assert judge(firmware.same_on_all, host(commands=commands)).status == "pass"

    def test_one_npu_has_nothing_to_differ_from(self, host, judge):
        assert judge(firmware.same_on_all, host(commands=board(0))).status == "skip"


class TestCompatibility:
    @pytest.mark.parametrize(
        ("word", "status"), [("OK", "pass"), ("NOK", "fail"), ("UNKNOWN", "warn"), ("NA", "unknown")]
    )
    def test_the_drivers_own_word_decides(self, host, judge, word, status):
        found = judge(firmware.compatibility, host(commands={**board(0), **board(1, compatibility=word)}))

        assert found.status == status

    def test_the_npu_that_is_not_ok_is_named(self, host, judge):
        found = judge(firmware.compatibility, host(commands={**board(0), **board(1, compatibility="NOK")}))

        assert found.actual == "NPU 1: NOK"
        assert found.evidence[0].text == "Compatibility : NOK"
