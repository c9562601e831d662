from pathlib import Path
from typing import ClassVar

import pytest

from npudoctor.checks import npu

CASES = Path(__file__).parents[1] / "parse" / "cases"
NO_NPU = {
    "lspci -nn": "00:00.0 Host bridge [0600]: Intel Corporation Device [8086:09a2] (rev 04)\n",
    "ls -l /dev": "total 0\ncrw-rw-rw- 1 root root 1, 3 Mar  3 09:12 null\n",
}
NODES = "total 0\n" + "".join(
    f"crw-rw---- 1 HwHiAiUser HwHiAiUser 235, 0 Mar  3 09:12 {name}\n"
    for name in ("davinci0", "davinci1", "davinci_manager", "devmm_svm", "hisi_hdc")
)
LSPCI = "".join(
    f"{bus}:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802] (rev 20)\n"
    for bus in ("c1", "c2")
)
ALL_CHECKS = (
    npu.counts_agree, npu.table_complete, npu.device_nodes, npu.same_chips, npu.dies_in_pairs,
)  # fmt: skip


def table(name):
    return (CASES / "npu-smi-info" / f"{name}.txt").read_text(encoding="utf-8")


@pytest.fixture
def a2(host):
    """Two 910B3, seen alike by all."""

    def make(**changes):
        commands = {"npu-smi info": table("910b-with-processes"), "lspci -nn": LSPCI, "ls -l /dev": NODES}
        return host(commands={**commands, **changes})

    return make


@pytest.fixture
def bare(host):
    """A machine with no NPU."""
    return host(commands=NO_NPU, absent=["npu-smi info"])


class TestVisible:
    def test_a_table_with_chips_passes(self, a2, judge):
        finding = judge(npu.visible, a2())

        assert (finding.status, finding.actual) == ("pass", "2 NPUs, 2 chips")

    def test_a_machine_without_any_npu_fails_in_so_many_words(self, bare, judge):
        finding = judge(npu.visible, bare)

        assert finding.status == "fail"
        assert finding.actual == "no Ascend NPU seen on PCI, by the driver or as device nodes"
        assert [proof.source for proof in finding.evidence] == ["lspci -nn", "ls -l /dev"]

    def test_npus_on_pci_that_the_driver_does_not_list_fail_with_its_error(self, a2, judge):
        finding = judge(npu.visible, a2(**{"npu-smi info": "dcmi module initialize failed. ret is -8005\n"}))

        assert (finding.status, finding.actual) == ("fail", "npu-smi lists no NPU (-8005): see npu.answers")

    def test_npus_on_pci_without_any_npu_smi_fail(self, host, judge):
        finding = judge(npu.visible, host(commands={"lspci -nn": LSPCI}, absent=["npu-smi info"]))

        assert finding.status == "fail"

    def test_nothing_collected_is_unknown(self, host, judge):
        assert judge(npu.visible, host()).status == "unknown"

    def test_npus_on_pci_with_the_driver_not_asked_are_unknown(self, host, judge):
        assert judge(npu.visible, host(commands={"lspci -nn": LSPCI})).status == "unknown"


@pytest.mark.parametrize("check", ALL_CHECKS)
def test_a_machine_without_npus_is_skipped(check, bare, judge):
    assert judge(check, bare).status == "skip"


@pytest.mark.parametrize("check", ALL_CHECKS)
def test_an_empty_bundle_is_unknown(check, host, judge):
    assert judge(check, host()).status == "unknown"


class TestCountsAgree:
    def test_the_same_npus_on_all_sides_pass(self, a2, judge):
        assert judge(npu.counts_agree, a2()).status == "pass"

    def test_a_card_that_the_driver_lacks_is_named_by_its_bus_id(self, a2, judge):
        more = LSPCI + LSPCI.splitlines()[0].replace("c1:", "c5:") + "\n"

        finding = judge(npu.counts_agree, a2(**{"lspci -nn": more}))

        assert finding.status == "fail"
        assert finding.actual == "0000:c5:00.0 is on PCI, not in npu-smi info"
        assert finding.evidence[0].text.startswith("c5:00.0 Processing accelerators")

    def test_a_card_that_pci_lost_is_named_by_its_bus_id(self, a2, judge):
        finding = judge(npu.counts_agree, a2(**{"lspci -nn": LSPCI.splitlines()[0] + "\n"}))

        assert finding.status == "fail"
        assert finding.actual == "0000:c2:00.0 is in npu-smi info, not on PCI"
        assert finding.evidence[0].text.startswith("| 1 910B3")

    def test_a_missing_device_node_fails(self, a2, judge):
        finding = judge(npu.counts_agree, a2(**{"ls -l /dev": NODES.replace("davinci1", "other1")}))

        assert (finding.status, finding.actual) == ("fail", "1 /dev/davinciN for 2 chips")

    def test_pci_of_the_whole_host_is_no_fault_in_a_container(self, a2, judge):
        more = LSPCI + LSPCI.splitlines()[0].replace("c1:", "c5:") + "\n"

        finding = judge(npu.counts_agree, a2(**{"lspci -nn": more, "systemd-detect-virt": "docker\n"}))

        assert finding.status == "pass"

    def test_two_chips_of_a_310p_duo_share_one_pci_device(self, a2, judge):
        duo = a2(
            **{
                "npu-smi info": table("310p-duo"),
                "lspci -nn": LSPCI.splitlines()[0].replace("c1", "0c") + "\n",
            }
        )

        assert judge(npu.counts_agree, duo).status == "pass"

    def test_chips_missing_from_a_cut_off_table_are_not_called_lost(self, a2, judge):
        assert (
            judge(npu.counts_agree, a2(**{"npu-smi info": table("cut-before-its-border")})).status
            == "unknown"
        )


class TestTableComplete:
    def test_a_whole_table_passes(self, a2, judge):
        assert judge(npu.table_complete, a2()).status == "pass"

    def test_a_cut_off_table_is_unknown_and_says_where(self, a2, judge):
        finding = judge(npu.table_complete, a2(**{"npu-smi info": table("rows-left-out")}))

        assert finding.status == "unknown"
        assert "lower row" in finding.actual


class TestDeviceNodes:
    def test_all_three_management_nodes_pass(self, a2, judge):
        assert judge(npu.device_nodes, a2()).status == "pass"

    def test_a_missing_node_fails_and_is_named(self, a2, judge):
        finding = judge(npu.device_nodes, a2(**{"ls -l /dev": NODES.replace("hisi_hdc", "other")}))

        assert (finding.status, finding.actual) == ("fail", "not there: /dev/hisi_hdc")

    def test_a_folder_that_docker_made_in_its_place_fails(self, a2, judge):
        folder = "drwxr-xr-x 2 root root 40 Mar  3 09:12 devmm_svm"
        nodes = "\n".join(folder if "devmm_svm" in line else line for line in NODES.splitlines())

        finding = judge(npu.device_nodes, a2(**{"ls -l /dev": nodes}))

        assert finding.status == "fail"
        assert finding.evidence[0].text == folder

    def test_nodes_are_no_matter_of_their_own_where_the_driver_is_not_loaded(self, a2, judge):
        unloaded = a2(**{"ls -l /dev": "total 0\n", "lsmod": "Module  Size  Used by\nnvme  61440  4\n"})

        finding = judge(npu.device_nodes, unloaded)

        assert (finding.status, finding.actual) == ("skip", "the driver is not loaded: see driver.modules")

    def test_in_a_container_the_nodes_are_the_matter_of_another_check(self, a2, judge):
        assert judge(npu.device_nodes, a2(**{"systemd-detect-virt": "docker\n"})).status == "skip"

    def test_a_listing_of_some_nodes_only_is_unknown(self, a2, judge):
        some = "crw-rw---- 1 HwHiAiUser HwHiAiUser 235, 0 Mar  3 09:12 /dev/davinci0\n"

        assert judge(npu.device_nodes, a2(**{"ls -l /dev": some})).status == "unknown"

    def test_soc_boards_have_other_nodes(self, a2, judge):
        assert judge(npu.device_nodes, a2(**{"npu-smi info": table("310b-without-bus")})).status == "skip"


class TestSameChips:
    def test_one_kind_passes(self, a2, judge):
        finding = judge(npu.same_chips, a2())

        assert (finding.status, finding.actual) == ("pass", "910B3")

    def test_two_kinds_warn(self, a2, judge):
        mixed = table("910b-with-processes").replace("1     910B3", "1     910B4")

        finding = judge(npu.same_chips, a2(**{"npu-smi info": mixed}))

        assert (finding.status, finding.actual) == ("warn", "910B3, 910B4")


class TestDiesInPairs:
    A3: ClassVar = {"lspci -nn": LSPCI.replace("d802", "d803")}

    def test_two_dies_of_each_module_pass(self, a2, judge):
        whole = a2(**{"npu-smi info": table("a3-two-dies"), **self.A3})

        assert judge(npu.dies_in_pairs, whole).status == "pass"

    def test_a_module_with_one_die_fails_and_is_named(self, a2, judge):
        lines = table("a3-two-dies").splitlines()
        one_die = "\n".join([*lines[:14], *lines[17:]])

        finding = judge(npu.dies_in_pairs, a2(**{"npu-smi info": one_die, **self.A3}))

        assert finding.status == "fail"
        assert "NPU 1" in finding.actual

    def test_other_families_are_skipped(self, a2, judge):
        assert judge(npu.dies_in_pairs, a2()).status == "skip"
