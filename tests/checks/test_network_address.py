import pytest

from npudoctor.checks import network_address as address

LSPCI = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:{}] (rev 20)\n"
CHECKS = (
    address.addresses, address.unique_addresses, address.same_subnet, address.hccn_conf,
    address.hccn_conf_agrees,
)  # fmt: skip


def conf(*addresses, left_out=()):
    rows = [
        f"{key}_{n}={value}"
        for n, ip in enumerate(addresses)
        for key, value in (("address", ip), ("netmask", "255.255.255.0"), ("gateway", "192.0.2.1"))
        if f"{key}_{n}" not in left_out
    ]
    return "\n".join(rows) + "\n"


@pytest.fixture
def two(host):
    """A host with two ports; every address can be changed, live and in the file."""

    def make(*live, file=None, gateway="default gateway:192.0.2.1, Iface:eth0\n", pci="d802"):
        live = live or ("192.0.2.20", "192.0.2.21")
        commands = {"lspci -nn": LSPCI.format(pci)}
        for n, ip in enumerate(live):
            printed = f"ipaddr:{ip}\nnetmask:255.255.255.0\n" if ip[:1].isdigit() else ip
            commands |= {f"hccn_tool -i {n} -ip -g": printed, f"hccn_tool -i {n} -gateway -g": gateway}
            commands[f"hccn_tool -i {n} -link -g"] = "link status: UP\n"
        return host(files={"/etc/hccn.conf": conf(*live) if file is None else file}, commands=commands)

    return make


@pytest.mark.parametrize("check", CHECKS)
def test_addresses_of_one_subnet_that_the_file_confirms_pass(check, two, judge):
    assert judge(check, two()).status == "pass"


@pytest.mark.parametrize("check", CHECKS)
def test_chips_without_ports_are_skipped(check, two, judge):
    assert judge(check, two(pci="d500")).status == "skip"


@pytest.mark.parametrize("check", CHECKS)
def test_an_empty_bundle_is_unknown(check, host, judge):
    assert judge(check, host()).status == "unknown"


@pytest.mark.parametrize("check", [check for check in CHECKS if check is not address.hccn_conf])
def test_a_port_that_gave_no_answer_is_not_a_pass(check, two, judge):
    assert (
        judge(check, two("192.0.2.20", "Cmd execute failed!\n", file=conf("192.0.2.20", "192.0.2.21"))).status
        == "unknown"
    )


class TestAddresses:
    def test_a_port_without_an_address_fails_beside_one_with(self, two, judge):
        finding = judge(address.addresses, two("192.0.2.20", ""))

        assert (finding.status, finding.actual) == ("fail", "no address: 1")

    def test_no_address_at_all_is_a_server_that_was_not_set_up(self, two, judge):
        assert judge(address.addresses, two("", "", file="")).status == "warn"


class TestUniqueAddresses:
    def test_an_address_twice_fails_and_shows_both_ports(self, two, judge):
        finding = judge(address.unique_addresses, two("192.0.2.20", "192.0.2.20"))

        assert (finding.status, finding.actual) == ("fail", "192.0.2.20")
        assert len(finding.evidence) == 2


class TestSameSubnet:
    def test_two_subnets_with_gateways_pass(self, two, judge):
        assert judge(address.same_subnet, two("192.0.2.20", "198.51.100.20")).status == "pass"

    def test_two_subnets_without_gateways_warn(self, two, judge):
        finding = judge(address.same_subnet, two("192.0.2.20", "198.51.100.20", gateway=""))

        assert (finding.status, finding.actual) == ("warn", "192.0.2.0/24, 198.51.100.0/24")

    def test_the_first_generation_has_several_subnets_by_design(self, two, judge):
        finding = judge(address.same_subnet, two("192.0.2.20", "198.51.100.20", gateway="", pci="d801"))

        assert finding.status == "pass"

    def test_ipv4_beside_ipv6_fails(self, two, judge):
        assert judge(address.same_subnet, two("192.0.2.20", "2001:db8::20")).status == "fail"

    def test_an_address_that_was_cut_off_is_no_other_kind_of_address(self, host, judge):
        commands = {"lspci -nn": LSPCI.format("d802")}
        machine = host(files={"/etc/hccn.conf": conf("192.0.2.20", "192.0.")}, commands=commands)

        assert judge(address.same_subnet, machine).status == "unknown"


class TestHccnConf:
    @pytest.mark.parametrize("line", ["gateway_1=192.0.2.1", "address_1=192.0.2.21"])
    def test_a_value_that_was_cut_off_fails_with_its_line(self, two, judge, line):
        file = conf("192.0.2.20", "192.0.2.21").replace(line, line[:-4])

        finding = judge(address.hccn_conf, two(file=file))

        assert (finding.status, finding.actual) == ("fail", line[:-4])

    def test_masked_addresses_are_not_called_cut_off(self, two, judge):
        file = conf("192.0.2.20", "192.0.2.21").replace("192.0.2.1\n", "192.0.x.x\n")

        assert judge(address.hccn_conf, two(file=file)).status == "pass"

    def test_a_missing_setting_fails_and_is_named(self, two, judge):
        file = conf("192.0.2.20", "192.0.2.21", left_out=("netmask_1",))

        finding = judge(address.hccn_conf, two(file=file))

        assert (finding.status, finding.actual) == ("fail", "netmask_1")

    def test_a_port_that_the_file_does_not_know_fails(self, two, judge):
        assert judge(address.hccn_conf, two(file=conf("192.0.2.20"))).actual == "address_1"

    def test_an_empty_file_warns(self, two, judge):
        assert judge(address.hccn_conf, two(file="")).status == "warn"

    def test_a_file_with_an_ellipsis_is_unknown(self, two, judge):
        assert (
            judge(address.hccn_conf, two(file=conf("192.0.2.20", "192.0.2.21") + "...\n")).status == "unknown"
        )


class TestHccnConfAgrees:
    def test_another_address_in_the_file_warns_with_both(self, two, judge):
        finding = judge(address.hccn_conf_agrees, two(file=conf("192.0.2.20", "192.0.2.99")))

        assert (finding.status, finding.actual) == ("warn", "1: 192.0.2.99 / 192.0.2.21")

    def test_a_configured_port_that_has_no_address_warns(self, two, judge):
        file = conf("192.0.2.20", "192.0.2.21")

        assert judge(address.hccn_conf_agrees, two("192.0.2.20", "", file=file)).status == "warn"
