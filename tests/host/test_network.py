CONF = "address_0=192.0.2.20\nnetmask_0=255.255.255.0\naddress_1=192.0.2.21\nnetmask_1=255.255.255.0\n"


def test_addresses_are_those_that_the_ports_have(host):
    read = host(commands={
        "hccn_tool -i 0 -ip -g": "ipaddr:198.51.100.7\nnetmask:255.255.255.0\n", "hccn_tool -i 3 -ip -g": "",
    }, files={"/etc/hccn.conf": CONF}).network  # fmt: skip

    assert read.addresses.value == {0: "198.51.100.7"}
    assert list(read.ips) == [0, 3]


def test_configured_addresses_stand_in_where_no_port_was_asked(host):
    read = host(files={"/etc/hccn.conf": CONF}).network

    assert read.addresses.value == {0: "192.0.2.20", 1: "192.0.2.21"}
    assert not read.live.known


def test_one_port_without_an_answer_makes_the_live_addresses_unknown(host):
    read = host(commands={
        "hccn_tool -i 0 -ip -g": "ipaddr:192.0.2.20\n", "hccn_tool -i 1 -ip -g": "Cmd execute failed!\n",
    }).network  # fmt: skip

    assert not read.live.known


def test_the_answers_of_several_ports_in_one_file_are_no_answer_of_one_port(host):
    twice = host(commands={"hccn_tool -i 0 -link -g": "link status: UP\nlink status: DOWN\n"}).network

    assert not twice.links[0].known


def test_port_ranges_are_read_with_single_ports_and_blanks(host):
    read = host(files={
        "/proc/sys/net/ipv4/ip_local_reserved_ports": "8080,60000-60015\n",
        "/proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    }).network  # fmt: skip

    assert read.reserved_ports.value == ((8080, 8080), (60000, 60015))
    assert read.local_ports.value == ((32768, 60999),)


def test_the_firewall_that_runs_is_named(host):
    read = host(
        commands={"systemctl is-active firewalld": "inactive\n", "systemctl is-active ufw": "active\n"}
    ).network

    assert read.firewall.value == "ufw"
