import pytest

from npudoctor.checks import network

DEVICE = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:{}] (rev 20)\n"
LSPCI = {"910B": DEVICE.format("d802"), "310P": DEVICE.format("d500")}
TLS = "dev_id:{n}, tls switch[{on}](0:disable, 1:enable), tls preconfigured[1](0:non-preset, 1:preset)\n"
CERTIFICATE = (
    "dev_id:{n}, [pub cert] info:\n         end_time[Mon Mar  2 03:10:27 2026 GMT]\n"
    "         tls expiration status[{state}](0:normal, 1:near expiration, 2:has expired)\n"
)
GOOD = {
    "link": "link status: UP\n",
    "net_health": "net health status: Success\n",
    "ip": "ipaddr:192.0.2.2{n}\nnetmask:255.255.255.0\n",
    "tls": TLS.replace("{on}", "0"),
    "gateway": "default gateway:192.0.2.1, Iface:eth{n}\n",
    "netdetect": "netdetect address: 192.0.2.1\n",
    "optical": "present : present\nRx Power0 : 1.0189 mW\nRxPower Low Thres : 0.1445 mW\nRx Los Flag : 0x0\n",
    "link_stat": "[devid {n}]link up count       : 1\n[devid {n}]    Tue Aug  1 14:43:26 2023    LINK UP\n",
}
CHECKS = {
    "link": network.link, "net_health": network.net_health, "tls": network.tls_alike,
    "gateway": network.gateway, "optical": network.optics, "link_stat": network.link_flaps,
}  # fmt: skip


@pytest.fixture
def ports(host):
    """A 910B host with two cabled ports; `ports(link={1: "…"})` changes the answer of port 1."""

    def make(family="910B", **changed):
        commands = {"lspci -nn": LSPCI[family]}
        for what, printed in GOOD.items():
            for n in range(2):
                answer = changed.get(what, {}).get(n, printed)
                commands[f"hccn_tool -i {n} -{what} -g"] = answer.replace("{n}", str(n))
        return host(commands=commands)

    return make


@pytest.mark.parametrize("check", CHECKS.values())
def test_good_ports_pass(check, ports, judge):
    assert judge(check, ports()).status == "pass"


@pytest.mark.parametrize("check", [*CHECKS.values(), network.tls_certificates])
def test_chips_without_ports_are_skipped(check, ports, judge):
    assert judge(check, ports("310P")).status == "skip"


@pytest.mark.parametrize("check", [*CHECKS.values(), network.tls_certificates])
def test_a_machine_without_npus_is_skipped(check, host, judge):
    bare = host(commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n"})

    assert judge(check, bare).status == "skip"


@pytest.mark.parametrize("what", ["link", "net_health", "tls", "gateway"])
def test_ports_that_nobody_asked_are_unknown(what, host, judge):
    assert judge(CHECKS[what], host(commands={"lspci -nn": LSPCI["910B"]})).status == "unknown"


@pytest.mark.parametrize("what", ["link", "net_health", "tls"])
def test_one_port_that_gave_no_answer_is_not_a_pass(what, ports, judge):
    assert judge(CHECKS[what], ports(**{what: {1: "Cmd execute failed!\n"}})).status == "unknown"


@pytest.mark.parametrize("check", [*CHECKS.values(), network.tls_certificates])
def test_a_container_without_hccn_tool_is_skipped(check, host, judge):
    commands = {"lspci -nn": LSPCI["910B"], "systemd-detect-virt": "docker\n"}

    assert judge(check, host(commands=commands)).status == "skip"
    assert judge(check, host(commands=commands, absent=["hccn_tool -i 0 -link -g"])).status == "skip"


class TestLink:
    def test_one_port_down_fails_and_is_named(self, ports, judge):
        finding = judge(network.link, ports(link={1: "link status: DOWN\n"}))

        assert (finding.status, finding.actual) == ("fail", "NPU 1: DOWN")
        assert [(proof.source, proof.text) for proof in finding.evidence] == [
            ("hccn_tool -i 1 -link -g", "link status: DOWN")
        ]

    def test_all_ports_down_is_a_server_that_is_not_cabled(self, ports, judge):
        down = dict.fromkeys(range(2), "link status: DOWN\n")

        assert judge(network.link, ports(link=down)).status == "warn"

    def test_a_partial_link_of_a_950_fails(self, ports, judge):
        partial = "link status : PARTIAL LINK\nport 4 : UP\nport 5 : DOWN\n"

        finding = judge(network.link, ports(link={0: partial}))

        assert finding.status == "fail"
        assert "port 5 DOWN" in finding.actual


class TestNetHealth:
    @pytest.mark.parametrize(
        ("word", "status"), [("Fault", "fail"), ("Socket failed", "fail"), ("Init", "warn")]
    )
    def test_every_other_word_than_success_is_told(self, ports, judge, word, status):
        finding = judge(network.net_health, ports(net_health={1: f"net health status: {word}\n"}))

        assert (finding.status, finding.actual) == (status, f"NPU 1: {word}")


class TestTls:
    def test_one_port_that_differs_fails(self, ports, judge):
        finding = judge(network.tls_alike, ports(tls={1: TLS.replace("{on}", "1")}))

        assert finding.status == "fail"
        assert finding.actual == "NPU 1: on"

    def test_on_everywhere_is_as_right_as_off_everywhere(self, ports, judge):
        on = dict.fromkeys(range(2), TLS.replace("{on}", "1"))

        assert judge(network.tls_alike, ports(tls=on)).status == "pass"

    @pytest.mark.parametrize(("state", "status"), [("0", "pass"), ("1", "warn"), ("2", "fail")])
    def test_the_certificates_of_ports_with_tls_are_judged(self, ports, judge, state, status):
        on = dict.fromkeys(range(2), TLS.replace("{on}", "1") + CERTIFICATE.replace("{state}", state))

        assert judge(network.tls_certificates, ports(tls=on)).status == status

    def test_the_certificates_of_ports_without_tls_do_not_matter(self, ports, judge):
        off = dict.fromkeys(range(2), GOOD["tls"] + CERTIFICATE.replace("{state}", "2"))

        assert judge(network.tls_certificates, ports(tls=off)).status == "skip"

    def test_tls_without_a_listed_certificate_is_unknown(self, ports, judge):
        on = dict.fromkeys(range(2), TLS.replace("{on}", "1"))

        assert judge(network.tls_certificates, ports(tls=on)).status == "unknown"


class TestGateway:
    def test_a_port_without_a_gateway_warns(self, ports, judge):
        assert judge(network.gateway, ports(gateway={1: ""})).actual == "NPU 1: no gateway"

    def test_a_port_without_a_detection_address_warns(self, ports, judge):
        finding = judge(network.gateway, ports(netdetect={0: ""}))

        assert (finding.status, finding.actual) == ("warn", "NPU 0: no detection address")

    def test_ports_without_addresses_need_none(self, ports, judge):
        assert judge(network.gateway, ports(ip={0: "", 1: ""})).status == "skip"


class TestOptics:
    def test_a_weak_lane_warns_with_its_threshold(self, ports, judge):
        weak = GOOD["optical"].replace("1.0189", "0.0054")

        finding = judge(network.optics, ports(optical={1: weak}))

        assert (finding.status, finding.actual) == ("warn", "NPU 1: Rx Power0 0.0054 mW < 0.1445")

    def test_a_lost_signal_warns(self, ports, judge):
        assert (
            judge(network.optics, ports(optical={1: GOOD["optical"].replace("0x0", "0xff")})).status == "warn"
        )

    def test_a_port_with_a_copper_cable_is_passed_over(self, ports, judge):
        assert judge(network.optics, ports(optical={1: "present : not present\n"})).status == "pass"


class TestLinkFlaps:
    def test_a_link_that_was_lost_often_warns(self, ports, judge):
        down = "[devid 1]    Tue Aug  1 14:43:26 2023    LINK DOWN\n"

        finding = judge(network.link_flaps, ports(link_stat={1: GOOD["link_stat"] + down * 4}))

        assert (finding.status, finding.actual) == ("warn", "NPU 1: lost 4 times")

    def test_three_losses_are_cabling(self, ports, judge):
        down = "[devid 1]    Tue Aug  1 14:43:26 2023    LINK DOWN\n"

        assert judge(network.link_flaps, ports(link_stat={1: GOOD["link_stat"] + down * 3})).status == "pass"
