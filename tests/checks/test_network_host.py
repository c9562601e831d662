import pytest

from npudoctor.checks import network_host

NPU = {
    "lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802]\n"
}
HEADER = "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
RESERVED = "/proc/sys/net/ipv4/ip_local_reserved_ports"
LOCAL = "/proc/sys/net/ipv4/ip_local_port_range"
CHECKS = (network_host.ports_free, network_host.ports_reserved, network_host.firewall)


@pytest.mark.parametrize("check", CHECKS[:2])
def test_an_empty_bundle_is_unknown(check, host, judge):
    assert judge(check, host()).status == "unknown"


@pytest.mark.parametrize("check", CHECKS)
def test_a_machine_without_npus_is_skipped(check, host, judge):
    bare = host(commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n"})

    assert judge(check, bare).status == "skip"


class TestPortsFree:
    def test_other_listeners_pass(self, host, judge):
        ssh = 'LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=811,fd=3))\n'

        assert (
            judge(network_host.ports_free, host(commands={**NPU, "ss -ltnp": HEADER + ssh})).status == "pass"
        )

    @pytest.mark.parametrize("port", [16666, 60000, 60015])
    def test_a_listener_on_a_port_of_hccl_warns_and_is_named(self, host, judge, port):
        taken = f'LISTEN 0 128 [::]:{port} [::]:* users:(("python3",pid=4242,fd=3))\n'

        finding = judge(network_host.ports_free, host(commands={**NPU, "ss -ltnp": HEADER + taken}))

        assert (finding.status, finding.actual) == ("warn", f"{port} (python3)")

    def test_the_ports_beside_them_do_not_count(self, host, judge):
        near = "LISTEN 0 128 *:59999 *:*\nLISTEN 0 128 *:60016 *:*\n"

        assert (
            judge(network_host.ports_free, host(commands={**NPU, "ss -ltnp": HEADER + near})).status == "pass"
        )


class TestPortsReserved:
    @pytest.mark.parametrize(
        ("reserved", "local", "status"),
        [
            ("60000-60015\n", "32768\t60999\n", "pass"),
            ("8080,59000-60100\n", "32768\t60999\n", "pass"),
            ("\n", "32768\t60999\n", "warn"),
            ("60000-60010\n", "32768\t60999\n", "warn"),
            ("\n", "32768\t50000\n", "pass"),
        ],
    )
    def test_they_are_reserved_or_never_given_away(self, host, judge, reserved, local, status):
        finding = judge(
            network_host.ports_reserved, host(files={RESERVED: reserved, LOCAL: local}, commands=NPU)
        )

        assert finding.status == status


class TestFirewall:
    ASK = "systemctl is-active firewalld"

    @pytest.mark.parametrize(("state", "status"), [("active\n", "warn"), ("inactive\n", "pass")])
    def test_one_that_runs_warns(self, host, judge, state, status):
        assert judge(network_host.firewall, host(commands={**NPU, self.ASK: state})).status == status

    def test_a_container_has_none_of_its_own(self, host, judge):
        inside = host(commands={**NPU, self.ASK: "active\n", "systemd-detect-virt": "docker\n"})

        assert judge(network_host.firewall, inside).status == "skip"

    def test_one_that_nobody_asked_for_is_skipped(self, host, judge):
        assert judge(network_host.firewall, host(commands=NPU)).status == "skip"


@pytest.mark.parametrize("check", CHECKS[1:])
def test_a_server_whose_npus_have_no_address_runs_no_job_with_others(check, host, judge):
    alone = host(
        files={RESERVED: "\n", LOCAL: "32768\t60999\n"},
        commands={**NPU, "hccn_tool -i 0 -ip -g": "\n", TestFirewall.ASK: "active\n"},
    )

    assert judge(check, alone).status == "skip"
