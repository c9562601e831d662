from npudoctor.checks import pcie_link

NPU = {
    "lspci -nn": (
        "81:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"
        "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"
    )
}
NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}


def device(address, speed="16", width=16, driver="devdrv_device_driver", revision="20", able="32"):
    lines = [
        f"{address} Processing accelerators: Huawei Technologies Co., Ltd. Device d802 (rev {revision})",
        f"\t\tLnkCap:\tPort #0, Speed {able}GT/s, Width x16, ASPM not supported",
        f"\t\tLnkSta:\tSpeed {speed}GT/s (downgraded), Width x{width} (ok)",
    ]
    return "\n".join([*lines, f"\tKernel driver in use: {driver}"] if driver else lines) + "\n"


def listed(*devices):
    return {**NPU, "lspci -vvv": "".join(devices)}


class TestLink:
    def test_a_speed_below_what_the_npu_can_do_is_normal_where_all_have_it(self, host, judge):
        found = judge(pcie_link.link, host(commands=listed(device("81:00.0"), device("c1:00.0"))))

        assert (found.status, found.actual) == ("pass", "0000:81:00.0: 16 GT/s x16")

    def test_fewer_lanes_than_the_npu_has_warn(self, host, judge):
        found = judge(pcie_link.link, host(commands=listed(device("81:00.0"), device("c1:00.0", width=8))))

        assert found.status == "warn"
        assert found.actual == "0000:c1:00.0: 16 GT/s x8"

    def test_an_npu_slower_than_its_siblings_warns(self, host, judge):
        found = judge(pcie_link.link, host(commands=listed(device("81:00.0"), device("c1:00.0", speed="8"))))

        assert found.status == "warn"

    def test_below_8_gt_or_8_lanes_fails(self, host, judge):
        slow = judge(pcie_link.link, host(commands=listed(device("81:00.0", speed="2.5"))))
        narrow = judge(pcie_link.link, host(commands=listed(device("81:00.0", width=4))))

        assert (slow.status, narrow.status) == ("fail", "fail")

    def test_a_listing_that_hides_the_registers_is_unknown(self, host, judge):
        hidden = device("81:00.0").splitlines()[0] + "\n"

        assert judge(pcie_link.link, host(commands=listed(hidden))).status == "unknown"


class TestDriverBound:
    def test_every_npu_with_the_driver_passes(self, host, judge):
        found = judge(pcie_link.driver_bound, host(commands=listed(device("81:00.0"), device("c1:00.0"))))

        assert (found.status, found.actual) == ("pass", "2 NPUs")

    def test_an_npu_without_a_driver_fails(self, host, judge):
        found = judge(
            pcie_link.driver_bound, host(commands=listed(device("81:00.0"), device("c1:00.0", driver="")))
        )

        assert found.status == "fail"
        assert found.actual == "0000:c1:00.0: no driver"

    def test_a_listing_without_the_npus_is_unknown(self, host, judge):
        assert judge(pcie_link.driver_bound, host(commands=listed(""))).status == "unknown"

    def test_an_npu_handed_to_virtual_machines_passes_and_is_told(self, host, judge):
        found = judge(pcie_link.driver_bound, host(commands=listed(device("81:00.0", driver="vfio-pci"))))

        assert found.status == "pass"
        assert "81:00.0" in found.actual

    def test_no_npu_is_nothing_to_judge(self, host, judge):
        assert judge(pcie_link.driver_bound, host(commands=NO_NPU)).status == "skip"

    def test_nothing_collected_is_unknown(self, host, judge):
        assert judge(pcie_link.driver_bound, host(commands=NPU)).status == "unknown"


class TestErrors:
    def log(self, line):
        return {**NPU, "dmesg": f"[    0.000000] Linux version 5.10\n{line}\n"}

    def test_an_uncorrected_error_of_an_npu_fails(self, host, judge):
        line = "[ 612.1] devdrv 0000:81:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link"

        found = judge(pcie_link.errors, host(commands=self.log(line)))

        assert found.status == "fail"
        assert found.evidence[0].text == line
        assert found.action == "reseat"

    def test_a_corrected_error_of_an_npu_warns(self, host, judge):
        line = "[ 700.0] pcieport 0000:c0:00.0: AER: Corrected error received: 0000:c1:00.0"

        assert judge(pcie_link.errors, host(commands=self.log(line))).status == "warn"

    def test_a_link_that_went_down_above_an_unnamed_device_warns(self, host, judge):
        line = "[ 701.5] pcieport 0000:c0:00.0: pciehp: Slot(12): Link Down"

        assert judge(pcie_link.errors, host(commands=self.log(line))).status == "warn"

    def test_an_error_counts_where_nobody_knows_the_addresses_of_the_npus(self, host, judge):
        line = "[ 612.1] x 0000:81:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link"

        assert judge(pcie_link.errors, host(commands={"dmesg": line + "\n"})).status == "warn"

    def test_an_error_of_another_device_passes(self, host, judge):
        line = "[ 700.0] pcieport 0000:00:1c.0: AER: Corrected error received: 0000:03:00.0"

        assert judge(pcie_link.errors, host(commands=self.log(line))).status == "pass"

    def test_a_container_without_lspci_and_dmesg_is_not_judged(self, host, judge):
        inside = {"ls -l /dev": "davinci0\n", "systemd-detect-virt": "docker\n"}
        bare = host(commands=inside, absent=["dmesg"])

        for check in (pcie_link.link, pcie_link.driver_bound, pcie_link.errors):
            assert judge(check, bare).status == "skip"

    def test_a_log_that_was_refused_is_unknown(self, host, judge):
        refused = {**NPU, "dmesg": "dmesg: read kernel buffer failed: Operation not permitted\n"}

        assert judge(pcie_link.errors, host(commands=refused)).status == "unknown"
