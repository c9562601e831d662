import pytest

from npudoctor.checks import pcie

POLICY = "/sys/module/pcie_aspm/parameters/policy"
NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}


def links(control, address="c1:00.0"):
    return {
        "lspci -vvv": (
            f"{address} Processing accelerators: Huawei Technologies Co., Ltd. Device d802 (rev 20)\n"
            "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L0s L1\n"
            f"\t\tLnkCtl:\tASPM {control}; RCB 64 bytes, Disabled- CommClk+\n"
        )
    }


class TestAspm:
    def test_performance_passes(self, host, judge):
        found = judge(pcie.aspm, host(files={POLICY: "default [performance] powersave\n"}, commands=NPU))

        assert (found.status, found.actual) == ("pass", "performance")

    def test_off_on_the_kernel_command_line_passes_whatever_the_policy_says(self, host, judge):
        files = {POLICY: "[default] performance powersave\n", "/proc/cmdline": "ro quiet pcie_aspm=off\n"}

        found = judge(pcie.aspm, host(files=files, commands=NPU))

        assert (found.status, found.actual) == ("pass", "pcie_aspm=off")
        assert found.evidence[0].source == "/proc/cmdline"

    @pytest.mark.parametrize("word", ["pcie_aspm=force", "pcie_aspm.policy=powersave"])
    def test_a_command_line_that_switches_it_on_fails_without_the_policy(self, host, judge, word):
        found = judge(pcie.aspm, host(files={"/proc/cmdline": f"ro quiet {word}\n"}, commands=NPU))

        assert (found.status, found.actual) == ("fail", word)
        assert found.evidence[0].source == "/proc/cmdline"

    def test_a_policy_changed_at_run_time_counts_more_than_the_command_line(self, host, judge):
        files = {POLICY: "default [performance] powersave\n", "/proc/cmdline": "ro pcie_aspm=force\n"}

        assert judge(pcie.aspm, host(files=files, commands=NPU)).status == "pass"

    @pytest.mark.parametrize("policy", ["[default] performance powersave", "default performance [powersave]"])
    def test_any_other_policy_fails(self, host, judge, policy):
        files = {POLICY: policy + "\n", "/proc/cmdline": "ro quiet\n"}

        found = judge(pcie.aspm, host(files=files, commands=NPU))

        assert found.status == "fail"
        assert found.fix.commands[0] == f"echo performance | sudo tee {POLICY}"

    def test_default_with_every_link_seen_to_be_off_only_warns(self, host, judge):
        files = {POLICY: "[default] performance powersave\n"}

        assert judge(pcie.aspm, host(files=files, commands=links("Disabled"))).status == "warn"
        assert judge(pcie.aspm, host(files=files, commands=links("L1 Enabled"))).status == "fail"

    def test_a_kernel_without_aspm_is_not_judged(self, host, judge):
        assert judge(pcie.aspm, host(commands=NPU, absent=[POLICY])).status == "skip"

    def test_a_machine_without_an_npu_is_not_judged(self, host, judge):
        assert judge(pcie.aspm, host(files={POLICY: "[powersave]\n"}, commands=NO_NPU)).status == "skip"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(pcie.aspm, host(commands=NPU)).status == "unknown"


class TestAspmLink:
    def test_disabled_passes_with_the_line(self, host, judge):
        found = judge(pcie.aspm_link, host(commands=links("Disabled")))

        assert found.status == "pass"
        assert "LnkCtl:" in found.evidence[0].text

    def test_a_device_that_cannot_do_it_passes(self, host, judge):
        listing = (
            links("Disabled")["lspci -vvv"].replace("ASPM L0s L1", "ASPM not supported").splitlines()[:2]
        )

        found = judge(pcie.aspm_link, host(commands={"lspci -vvv": "\n".join(listing) + "\n"}))

        assert found.status == "pass"

    @pytest.mark.parametrize("control", ["L1 Enabled", "L0s L1 Enabled"])
    def test_enabled_fails_and_names_the_npu(self, host, judge, control):
        found = judge(pcie.aspm_link, host(commands=links(control)))

        assert found.status == "fail"
        assert found.actual == f"0000:c1:00.0: {control}"

    def test_a_line_that_was_cut_is_unknown(self, host, judge):
        cut = links("L1 Ena")["lspci -vvv"].partition("; RCB")[0]

        assert judge(pcie.aspm_link, host(commands={"lspci -vvv": cut})).status == "unknown"

    def test_a_listing_that_hides_the_register_is_unknown(self, host, judge):
        hidden = links("Disabled")["lspci -vvv"].splitlines()[0] + "\n\tCapabilities: <access denied>\n"

        assert judge(pcie.aspm_link, host(commands={"lspci -vvv": hidden})).status == "unknown"

    def test_nothing_collected_is_unknown(self, host, judge):
        assert judge(pcie.aspm_link, host(commands=NPU)).status == "unknown"
